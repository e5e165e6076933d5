//! Known hashes, computed with Python's `json`, `hashlib`, `base64` and `zlib`.

use super::*;

#[test]
fn hashes_are_those_of_ludwig() {
    let cases = [
        (PlainValue::Text(""), 2_857_627_175),
        (PlainValue::Text("a"), 65_771_235),
        (PlainValue::Text("user 17"), 4_267_750_282),
        (PlainValue::Text("he said \"no\"\n"), 3_660_441_553),
        (PlainValue::Text("é"), 151_811_981),
        (PlainValue::Text("日本"), 2_645_162_156),
        (PlainValue::Text("😀"), 1_390_749_773),
        (PlainValue::Integer(3), 1_039_896_983),
        (PlainValue::Integer(-12), 711_937_127),
        (PlainValue::Real(2.5), 4_170_166_405),
        (PlainValue::Real(1e16), 3_164_495_915),
        (PlainValue::Real(1.5e-7), 2_066_337_137),
        (PlainValue::Real(1e-5), 492_527_236),
        (PlainValue::Real(123_456_789.125), 2_902_828_468),
        (PlainValue::Real(-1e300), 3_410_199_412),
        (PlainValue::Real(1e22), 1_750_551_046),
        (PlainValue::Real(0.0001), 1_897_098_114),
        (PlainValue::Missing, 3_914_770_530),
    ];
    for (value, expected) in cases {
        assert_eq!(hash(value, &mut String::new()), expected, "{value:?}");
    }
}

#[test]
fn a_row_keeps_its_part_when_the_table_grows() {
    let shares = Shares::new([0.7, 0.1, 0.2]).unwrap();
    let rows: Vec<u32> = (0..2_000).collect();
    let of = |rows: &[u32]| by_hash(|row| PlainValue::Integer(i64::from(row)), rows, shares);
    let (small, large) = (of(&rows[..1_000]), of(&rows));
    for part in Part::ALL {
        assert!(large.part(part).starts_with(small.part(part)));
        assert!(!small.part(part).is_empty());
    }
}
