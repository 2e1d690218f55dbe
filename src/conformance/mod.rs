//! Our coordinators held against Apache Kafka's own: random small scenarios that nobody chose, what the release's
//! classes made of their histories (the driver in `conformance/` asks them), and where our lane parts from that.

mod answer;
mod compare;
mod deal;
mod draft;
mod fact;
mod held;
mod ours;
mod random;
mod release;
mod shrink;

pub use answer::{Answer, AnswerError, KafkaBump, RecordSum, read_answer};
pub use compare::{Compared, Difference, Row, compare};
pub use deal::{Deal, DealFact, DealKind, Dealt};
pub use draft::Draft;
pub use fact::{Fact, read_facts};
pub use held::{Held, Standing};
pub use ours::{OurBump, Ours, ours};
pub use random::{random_scenario, random_scenario_of_all_kinds};
pub use release::Release;
pub use shrink::{Shrunk, shrink};
