//! What a command can end in besides success, and its exit code.

use std::io;

use crate::scenario::Diagnostics;

/// A failure; its text says what to change.
#[derive(Debug)]
pub enum Failure {
    /// A broken expectation or a regression: 1.
    Broken(String),
    /// The input is wrong: 2.
    Input(String),
    /// The input is wrong, shown with its place: 2.
    Diagnosed(Box<Diagnostics>),
    /// The input is wrong and that has been said: 2.
    InputSaid,
    /// The machine could not: 3.
    Machine(String),
    /// There is nothing to compare with: 4.
    NoBaseline(String),
    /// The user interrupted: 130.
    Interrupted,
    /// The user interrupted, and what is finished is kept, as the text says: 130.
    InterruptedKept(String),
    /// Nobody reads our output any more; no failure of ours.
    PipeClosed,
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Failure::PipeClosed => 0,
            Failure::Broken(_) => 1,
            Failure::Input(_) | Failure::Diagnosed(_) | Failure::InputSaid => 2,
            Failure::Machine(_) => 3,
            Failure::NoBaseline(_) => 4,
            Failure::Interrupted | Failure::InterruptedKept(_) => 130,
        }
    }

    /// What to print, if anything.
    #[must_use]
    pub fn text(&self, colour: bool) -> Option<String> {
        match self {
            Failure::Broken(text) | Failure::Input(text) | Failure::Machine(text) | Failure::NoBaseline(text) => {
                Some(format!("error: {text}"))
            }
            Failure::InterruptedKept(text) => Some(format!("interrupted; {text}")),
            Failure::Diagnosed(problems) => Some(problems.render(colour)),
            Failure::Interrupted => Some("interrupted; what was not finished is not written".to_owned()),
            Failure::InputSaid | Failure::PipeClosed => None,
        }
    }
}

/// Errors of our own output streams.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::PipeClosed
        } else {
            Failure::Machine(format!("cannot write the output: {error}"))
        }
    }
}

impl From<crate::report::files::FolderError> for Failure {
    fn from(error: crate::report::files::FolderError) -> Failure {
        Failure::Machine(error.to_string())
    }
}

impl From<crate::report::files::ReadError> for Failure {
    fn from(error: crate::report::files::ReadError) -> Failure {
        Failure::Input(error.to_string())
    }
}
