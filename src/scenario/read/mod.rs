//! From tree to meaning: one reader per part of the language. A reader collects what is wrong and goes
//! on with something sensible, so that a file's problems come out together; where a key is absent it
//! puts the default into the tree, in the language's own words, and reads that.

mod assign;
mod brokers;
mod census;
mod cluster;
mod entries;
mod fields;
mod groups;
mod happened;
mod horizon;
mod load;
mod members;
mod picks;
mod protocols;
mod scalars;
mod strategies;
mod sweep;
mod top;
mod topics;
mod verbs_of_brokers;
mod verbs_of_groups;
mod verbs_of_topics;
mod when;

pub use assign::{load_assign, load_assign_text};
pub(crate) use census::{Census, did_you_mean};
pub(crate) use fields::Fields;
pub use load::{Loaded, load, load_over, load_text};
pub(crate) use strategies::{LABELS, SWITCHES, switch_words};
pub use strategies::{by_word as strategy_by_word, default_strategies};
pub use sweep::Axis;
