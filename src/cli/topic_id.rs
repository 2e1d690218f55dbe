//! Topic ids as people have them: from `kafka-topics --describe`, or in hexadecimal.

use crate::kafka::Uuid;

/// A topic id as Kafka prints it (URL-safe base64 of 16 bytes), or in hexadecimal with or without dashes.
pub(super) fn topic_id(text: &str) -> Result<Uuid, String> {
    Uuid::read(text).ok_or_else(|| {
        format!(
            "`{text}` is no topic id: write 22 characters as kafka-topics --describe shows them, or 32 hexadecimal digits"
        )
    })
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
