//! The grammar of sizes on the command line: `512MB`, `4GB`, `1.5GiB`.

/// Units in bytes; the decimal and the binary forms are both in use and both taken at their word.
const UNITS: [(&str, f64); 10] = [
    ("k", 1e3),
    ("kb", 1e3),
    ("m", 1e6),
    ("mb", 1e6),
    ("g", 1e9),
    ("gb", 1e9),
    ("tb", 1e12),
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
];

/// Reads a size in bytes; the error says what to write instead.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let Ok(number_value) = number.parse::<f64>() else {
        return Err(format!("\"{text}\" is not a size: write 512MB or 4GB"));
    };
    let unit = unit.trim();
    if unit.is_empty() {
        return Err(format!("{number} needs its unit: {number}MB or {number}GB"));
    }
    let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(format!(
            "\"{unit}\" is not a unit of size: use MB, GB, MiB or GiB"
        ));
    };
    let bytes = number_value * factor;
    if bytes < 1e6 {
        return Err(format!("{text} is too small: give at least 1MB"));
    }
    // An exabyte: more than any machine has, and far from the end of what a number holds.
    if bytes >= 1e18 {
        return Err(format!("{text} is too large: give less than 1000000TB"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1e6 and 1e18"
    )]
    Ok(bytes as u64)
}

/// A size for people: "139.8 GB".
pub(crate) fn show(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "shown to three digits")]
    let size = bytes as f64;
    match size {
        _ if size >= 1e9 => format!("{:.1} GB", size / 1e9),
        _ if size >= 1e6 => format!("{:.0} MB", size / 1e6),
        _ if size >= 1e3 => format!("{:.0} kB", size / 1e3),
        _ => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, expected) in [
            ("512MB", Ok(512_000_000)),
            ("4gb", Ok(4_000_000_000)),
            ("1.5 GiB", Ok(1_610_612_736)),
            ("4", Err("4 needs its unit")),
            ("4x", Err("not a unit of size")),
            ("much", Err("not a size")),
            ("0GB", Err("too small")),
            ("999999999tb", Err("too large")),
        ] {
            match (parse(text), expected) {
                (Ok(bytes), Ok(expected)) => assert_eq!(bytes, expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
                (seen, expected) => panic!("{text}: {seen:?}, not {expected:?}"),
            }
        }
    }
}
