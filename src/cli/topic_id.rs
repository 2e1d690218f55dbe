//! Topic ids as people have them: from `kafka-topics --describe`, or in hexadecimal.

use crate::kafka::Uuid;

/// A topic id as Kafka prints it (URL-safe base64 of 16 bytes), or in hexadecimal with or without dashes.
pub(super) fn topic_id(text: &str) -> Result<Uuid, String> {
    let wrong = || {
        format!(
            "`{text}` is no topic id: write 22 characters as kafka-topics --describe shows them, or 32 hexadecimal digits"
        )
    };
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let bits = if digits.len() == 32 && digits.chars().all(|c| c.is_ascii_hexdigit()) {
        u128::from_str_radix(&digits, 16).map_err(|_| wrong())?
    } else {
        base64(text.trim_end_matches('=')).ok_or_else(wrong)?
    };
    let half = |bits: u128| u64::try_from(bits & u128::from(u64::MAX)).expect("masked to 64 bits");
    Ok(Uuid { msb: half(bits >> 64), lsb: half(bits) })
}

/// 22 digits of six bits; the last four of them must be zero.
fn base64(text: &str) -> Option<u128> {
    if text.len() != 22 {
        return None;
    }
    let mut bits: u128 = 0;
    for (i, byte) in text.bytes().enumerate() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        if i < 21 {
            bits = (bits << 6) | u128::from(digit);
        } else if digit & 15 == 0 {
            bits = (bits << 2) | u128::from(digit >> 4);
        } else {
            return None;
        }
    }
    Some(bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const T1: &str = "00000000000000010000000000000002";

    #[test]
    fn ids_are_read_as_kafka_prints_them_and_in_hexadecimal() {
        let id = Uuid { msb: 1, lsb: 2 };
        for text in ["AAAAAAAAAAEAAAAAAAAAAg", "AAAAAAAAAAEAAAAAAAAAAg==", T1, "00000000-0000-0001-0000-000000000002"] {
            assert_eq!(topic_id(text).unwrap(), id, "{text}");
        }
        assert_eq!(topic_id("_____________________w").unwrap().as_u128(), u128::MAX);
        for text in ["", "1", "AAAAAAAAAAEAAAAAAAAAAh", "AAAAAAAAAAEAAAAAAAAA*g", "g0000000000000010000000000000002"] {
            assert!(topic_id(text).is_err(), "{text}");
        }
    }
}
