//! Spans of a scenario, drawn.

use crate::kafka::Uuid;
use crate::scenario::Span;
use crate::sim::{Chance, Ms, Stream};

/// A time of a span; no number is taken where there is nothing to draw.
pub(super) fn time(stream: &mut Stream, span: Span<Ms>) -> Ms {
    if span.lo == span.hi { span.lo } else { Ms(stream.between(span.lo.0, span.hi.0)) }
}

/// A number of a span; no number is taken where there is nothing to draw.
pub(super) fn number(stream: &mut Stream, span: Span<u32>) -> u32 {
    if span.lo == span.hi {
        return span.lo;
    }
    u32::try_from(stream.between(span.lo.into(), span.hi.into())).expect("between two numbers of 32 bits")
}

/// Is there anything to draw?
pub(super) fn is_drawn<T: PartialEq>(span: &Span<T>) -> bool {
    span.lo != span.hi
}

/// A topic's id: random but for the version bits, as `Uuid.randomUuid` makes them.
pub(super) fn topic_id(chance: &Chance, topic: &str, incarnation: u32) -> Uuid {
    let mut stream = chance.stream("topic-id", &crate::sim::address(&[topic, &incarnation.to_string()]));
    let (msb, lsb) = (stream.bits(), stream.bits());
    Uuid { msb: msb & !0xf000 | 0x4000, lsb: lsb & !(3 << 62) | 1 << 63 }
}

/// How many, as an id or a count of 32 bits.
pub(super) fn count32(len: usize) -> u32 {
    u32::try_from(len).expect("a run holds fewer than 2^32 of anything")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topic_ids_are_random_uuids_and_differ_by_name_and_incarnation() {
        let chance = Chance::new(1, 1);
        let id = topic_id(&chance, "t", 0).to_string();
        assert_eq!(&id[12..13], "4");
        assert!("89ab".contains(&id[16..17]));
        assert_ne!(topic_id(&chance, "t", 0), topic_id(&chance, "t", 1));
        assert_ne!(topic_id(&chance, "t", 0), topic_id(&chance, "u", 0));
    }
}
