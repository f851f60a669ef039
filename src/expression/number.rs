//! Numbers, exactly: integers of 64 bits, signed and unsigned, and decimals compared with them without rounding.

use std::cmp::Ordering;

use serde_json::Number;

/// A number of an expression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Numeric {
    /// Within the ranges of `i64` and `u64`.
    Int(i128),
    Double(f64),
}

/// Every integer of smaller magnitude is a decimal number without rounding.
const EXACT: i128 = 1 << 53;

impl Numeric {
    pub(super) fn from_json(number: &Number) -> Self {
        if let Some(value) = number.as_i64() {
            Self::Int(value.into())
        } else if let Some(value) = number.as_u64() {
            Self::Int(value.into())
        } else {
            Self::Double(number.as_f64().unwrap_or(f64::NAN))
        }
    }

    /// Orders two numbers by their mathematical values; `None` where one is not a number.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => Some(left.cmp(&right)),
            (Self::Double(left), Self::Double(right)) => left.partial_cmp(&right),
            (Self::Int(left), Self::Double(right)) => compare_mixed(left, right),
            (Self::Double(left), Self::Int(right)) => compare_mixed(right, left).map(Ordering::reverse),
        }
    }

    /// The same number as a decimal, or `None` where that would round it.
    pub(super) fn to_double(self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(value),
            Self::Int(value) => {
                let double = value as f64;
                (value.abs() <= EXACT || double as i128 == value).then_some(double)
            }
        }
    }
}

fn compare_mixed(int: i128, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    // Casts saturate, and every 64-bit integer lies far inside the range of i128.
    let whole = double.trunc();
    Some(
        int.cmp(&(whole as i128))
            .then_with(|| 0.0_f64.partial_cmp(&(double - whole)).unwrap_or(Ordering::Equal)),
    )
}

/// An integer of the 64-bit ranges, or `None`.
pub(super) fn in_range(value: i128) -> Option<i128> {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value).then_some(value)
}

/// An integer as JSON; `None` outside the 64-bit ranges.
pub(super) fn int_to_json(value: i128) -> Option<Number> {
    match i64::try_from(value) {
        Ok(value) => Some(value.into()),
        Err(_) => u64::try_from(value).ok().map(Number::from),
    }
}

/// The shortest text that reads back as the same decimal; whole numbers of moderate size without `.0`.
pub(super) fn double_to_text(value: f64) -> String {
    if value.trunc() == value && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    Number::from_f64(value).map_or_else(|| value.to_string(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn comparison_across_int_and_double_is_exact() {
        let big = 9_007_199_254_740_993_i128;
        assert_eq!(
            Numeric::Int(big).compare(Numeric::Double(9_007_199_254_740_992.0)),
            Some(Ordering::Greater)
        );
        assert_eq!(
            Numeric::Int(u64::MAX.into()).compare(Numeric::Double(18_446_744_073_709_551_616.0)),
            Some(Ordering::Less)
        );
        assert_eq!(Numeric::Int(-1).compare(Numeric::Double(-1.5)), Some(Ordering::Greater));
        assert_eq!(Numeric::Int(0).compare(Numeric::Double(-0.0)), Some(Ordering::Equal));
        assert_eq!(Numeric::Int(0).compare(Numeric::Double(f64::NAN)), None);
        assert_eq!(Numeric::Int(1).compare(Numeric::Double(f64::INFINITY)), Some(Ordering::Less));
    }

    #[test]
    fn doubles_print_short() {
        assert_eq!(double_to_text(100.0), "100");
        assert_eq!(double_to_text(0.1), "0.1");
        assert_eq!(double_to_text(1e300), "1e+300");
    }

    proptest! {
        #[test]
        fn order_is_antisymmetric_and_agrees_with_integers(a in any::<i64>(), b in any::<i64>(), d in any::<f64>()) {
            let (int, double) = (Numeric::Int(a.into()), Numeric::Double(d));
            prop_assert_eq!(int.compare(double), double.compare(int).map(Ordering::reverse));
            prop_assert_eq!(Numeric::Int(a.into()).compare(Numeric::Int(b.into())), Some(a.cmp(&b)));
            let small = f64::from(b as i32);
            prop_assert_eq!(int.compare(Numeric::Double(small)), Some(i128::from(a).cmp(&i128::from(b as i32))));
        }
    }
}
