//! The inverse of the normal distribution function.
//!
//! Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution",
//! Applied Statistics 37 (1988), routine PPND7: relative error about 1e-7, the
//! precision of the arrays.

/// The value below which a share `p` of a standard normal distribution lies; infinite at 0 and 1.
pub fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        let above = polynomial(
            r,
            &[
                3.387_132_717_9,
                5.043_427_197_5e1,
                1.592_911_320_2e2,
                5.910_937_472_0e1,
            ],
        );
        let below = polynomial(
            r,
            &[1.0, 1.789_516_946_9e1, 7.875_775_766_4e1, 6.718_756_36e1],
        );
        return q * above / below;
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail <= 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let value = if r <= 5.0 {
        let r = r - 1.6;
        let above = polynomial(
            r,
            &[
                1.423_437_277_7,
                2.756_815_390_0,
                1.306_728_481_6,
                1.702_382_110_3e-1,
            ],
        );
        above / polynomial(r, &[1.0, 7.370_016_425_0e-1, 1.202_113_297_5e-1])
    } else {
        let r = r - 5.0;
        let above = polynomial(
            r,
            &[
                6.657_905_115_0,
                3.081_226_386_0,
                4.286_829_433_7e-1,
                1.733_720_399_7e-2,
            ],
        );
        above / polynomial(r, &[1.0, 2.419_789_422_5e-1, 1.225_820_263_5e-2])
    };
    value.copysign(q)
}

fn polynomial(x: f64, coefficients: &[f64]) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_scipy() {
        // scipy.stats.norm.ppf
        let cases = [
            (1e-9, -5.997_807_015),
            (1e-7, -5.199_337_582),
            (0.001, -3.090_232_306),
            (0.025, -1.959_963_985),
            (0.3, -0.524_400_513),
            (0.5, 0.0),
            (0.8, 0.841_621_234),
            (0.975, 1.959_963_985),
            (0.999_999, 4.753_424_309),
        ];
        for (p, expected) in cases {
            assert!(
                (quantile(p) - expected).abs() < 2e-6,
                "{p}: {}",
                quantile(p)
            );
        }
        assert!(quantile(0.0) == f64::NEG_INFINITY && quantile(1.0) == f64::INFINITY);
    }
}
