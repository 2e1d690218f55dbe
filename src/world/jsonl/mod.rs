//! A history as JSON Lines, for eyes and other tools: one object a line, names instead of ids. Reading it back
//! gives the same history with the same id.
//!
//! The lines come in this order; each says what it is in `line`:
//!
//! | `line` | is |
//! |---|---|
//! | `header` | format, id, duration, and the names of all topics, racks, groups and entries in order of id |
//! | `broker`, `topic` | what the image at time 0 holds |
//! | `pattern` | a pattern and the topic names that it matches |
//! | `group`, and its `member`s | who there is, and what each first subscribes to |
//! | `presence` | plain heartbeats of a member: at `first_ms` and every interval from there, before `until_ms` |
//! | `shard` | when a shard did not answer, and who led it from when |
//! | `delta` | an image that arrives: changed topics with full registrations, and changes of brokers |
//! | `event` | everything else that happens, among the deltas in the order in which it takes effect |
//! | `refused` | an operation that met a shard that did not answer |
//! | `note` | what was left out |
//!
//! Times are milliseconds from the start of the run and end in `_ms`; a time that never comes is `null`.

mod lines;
mod read;
mod write;

pub use read::{JsonlError, read};
pub use write::write;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::make;
    use crate::world::tests::random;

    fn text(history: &crate::world::History) -> String {
        let mut bytes = Vec::new();
        write(history, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_history_written_and_read_is_the_same() {
        let mut made = 0;
        for number in 0..120 {
            let Ok(history) = make(&random::scenario(number).0, 1) else { continue };
            made += 1;
            let back = read(&text(&history)).unwrap();
            assert_eq!(back.id, history.id);
            assert_eq!(format!("{back:?}"), format!("{history:?}"));
        }
        assert!(made > 80);
    }

    #[test]
    fn a_changed_line_is_noticed_and_a_history_without_an_id_is_taken_as_it_is() {
        let build = crate::world::testing::cluster().topic("t", 1, 1).group("g", 2, &["t"]);
        let history = build.at(5, "bye", leave()).make();
        let written = text(&history);
        let edited = written.replace("\"at_ms\":5000", "\"at_ms\":6000");
        assert_ne!(edited, written);
        let error = read(&edited).unwrap_err();
        assert_eq!(error.line, 1);
        assert!(error.message.contains(&history.id), "{}", error.message);
        let anonymous = edited.replace(&format!("\"{}\"", history.id), "null");
        assert_eq!(read(&anonymous).unwrap().events[0].at.0, 6000);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let build = crate::world::testing::cluster().topic("t", 1, 1).group("g", 2, &["t"]);
        let written = text(&build.at(5, "bye", leave()).make());
        let last = written.lines().count();
        let with = |line: &str| read(&format!("{written}{line}\n")).unwrap_err();
        assert_eq!(with("{\"line\":\"weather\"}").line, last + 1);
        assert_eq!(with("nonsense").line, last + 1);
        let stranger = r#"{"line":"refused","at_ms":1,"group":"g","member":"nobody","heartbeat":true}"#;
        assert!(with(stranger).message.contains("no member `nobody`"));
        assert!(read("").is_err());
    }

    fn leave() -> crate::scenario::Verb {
        let named = crate::world::testing::named;
        crate::scenario::Verb::Leave { groups: named("g"), members: named("m-1") }
    }
}
