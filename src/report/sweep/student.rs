//! The quantile of Student's t that a 95 % interval needs, for whole degrees of freedom, in closed form: only
//! `+ − × ÷ √` and one arc tangent of the pinned libm, so that it is the same on every machine. (A statistics
//! crate takes the machine's own `exp` and `ln` for it.)

/// The t above which 2.5 % lie, for `freedom` degrees of freedom (at least 1).
#[must_use]
pub fn t_975(freedom: u32) -> f64 {
    assert!(freedom > 0, "there is no spread without a second value");
    let (mut low, mut high) = (1.9, 13.0);
    // 60 halvings leave less than the spacing of floating-point numbers here
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if central(middle, freedom) < 0.95 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The share of Student's t between −t and t (Abramowitz and Stegun 26.7.3 and 26.7.4).
fn central(t: f64, freedom: u32) -> f64 {
    let n = f64::from(freedom);
    let (sin, cos2) = (t / (n + t * t).sqrt(), n / (n + t * t));
    if freedom.is_multiple_of(2) {
        return sin * series(1.0, 1, cos2, freedom - 2);
    }
    let angle = libm::atan(t / n.sqrt());
    let rest = if freedom == 1 { 0.0 } else { sin * series(cos2.sqrt(), 2, cos2, freedom - 3) };
    (angle + rest) * std::f64::consts::FRAC_2_PI
}

/// `first · (1 + from/(from+1) · c + from(from+2)/((from+1)(from+3)) · c² + …)` with `powers / 2` terms after the first.
fn series(first: f64, from: u32, c: f64, powers: u32) -> f64 {
    let (mut term, mut sum) = (first, first);
    for i in 0..powers / 2 {
        let k = f64::from(from + 2 * i);
        term *= k / (k + 1.0) * c;
        sum += term;
        if term < sum * 1e-18 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in the back of every textbook: degrees of freedom, t of 97.5 %.
    const TABLE: [(u32, f64); 22] = [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (5, 2.571),
        (6, 2.447),
        (7, 2.365),
        (8, 2.306),
        (9, 2.262),
        (10, 2.228),
        (11, 2.201),
        (12, 2.179),
        (14, 2.145),
        (19, 2.093),
        (20, 2.086),
        (25, 2.060),
        (29, 2.045),
        (30, 2.042),
        (40, 2.021),
        (60, 2.000),
        (100, 1.984),
        (120, 1.980),
    ];

    #[test]
    fn the_quantile_is_that_of_the_table() {
        for (freedom, t) in TABLE {
            assert!((t_975(freedom) - t).abs() <= 0.000_5 + 1e-9, "{freedom}: {}", t_975(freedom));
        }
        // with no end of them it is the normal distribution's
        assert!((t_975(1_000_000) - 1.959_966).abs() < 1e-5, "{}", t_975(1_000_000));
    }

    /// The same share by another way: with t = √ν · tan θ the density is cos^(ν − 1) θ, added up numerically.
    fn by_area(t: f64, freedom: u32) -> f64 {
        let density = |angle: f64| {
            let cos = libm::cos(angle);
            (1..freedom).fold(1.0, |product, _| product * cos)
        };
        let simpson = |end: f64| {
            let (parts, width) = (2_000_u32, end / 2_000.0);
            (0..=parts).fold(0.0, |sum, i| {
                let weight = if i == 0 || i == parts {
                    1.0
                } else if i % 2 == 1 {
                    4.0
                } else {
                    2.0
                };
                sum + weight * density(f64::from(i) * width)
            }) * width
        };
        simpson(libm::atan(t / f64::from(freedom).sqrt())) / simpson(std::f64::consts::FRAC_PI_2)
    }

    #[test]
    fn the_area_under_the_curve_agrees() {
        for freedom in 1..40 {
            let share = by_area(t_975(freedom), freedom);
            assert!((share - 0.95).abs() < 1e-8, "{freedom}: {share}");
        }
    }
}
