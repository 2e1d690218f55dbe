//! YAML as a tree that knows where each piece stands in which file. Parsed with the event parser under
//! `serde_yaml`, since serde's own road stops at the first problem and forgets how a scalar was written.

mod emit;
mod merge;
mod parse;
mod path;
mod set;
mod syntax;
mod tree;

pub(crate) use emit::{emit, quoted};
pub(crate) use merge::merge;
pub(crate) use parse::{parse, parse_value};
pub(crate) use path::{path_of, paths_of};
pub(crate) use set::apply_set;
pub(crate) use tree::{Key, Kind, Node};
