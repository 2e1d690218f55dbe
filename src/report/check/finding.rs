//! One thing that is not as it was, as a line and as the exit code that it asks for.

use serde::Serialize;

/// What a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A cell is not what it was.
    Differs,
    /// What the scenario expects is not so.
    Broken,
    /// Something of the baseline is there no more.
    Gone,
    /// What happens to the cluster is not what it was.
    History,
    /// A strategy, a run or a scenario beside others that have a baseline.
    New,
    /// There are no baselines at all.
    NoBaseline,
}

impl State {
    /// The word at the start of a line.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            State::Differs | State::Broken => "FAIL",
            State::Gone => "GONE",
            State::History => "HIST",
            State::New => "NEW ",
            State::NoBaseline => "NONE",
        }
    }

    /// The exit code that it asks for.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            State::Differs | State::Broken | State::Gone | State::History => 1,
            State::New | State::NoBaseline => 4,
        }
    }
}

/// One thing that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The scenario.
    pub scenario: String,
    /// Its file.
    pub file: String,
    /// What kind of thing.
    pub state: State,
    /// Which run; absent where all are meant.
    pub run: Option<u32>,
    /// Which strategy; empty where all are meant.
    pub strategy: String,
    /// Which column; empty where no single one is meant.
    pub column: String,
    /// The baseline's value.
    pub then: String,
    /// The value now.
    pub now: String,
    /// In words, all that a line says behind the strategy's name.
    pub message: String,
}

impl Finding {
    /// As it is printed: `FAIL prod-roll  kafka-4.1  rebalances 0 → 214`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}  {}", self.state.word(), self.scenario, self.told())
    }

    /// The same without state and scenario.
    #[must_use]
    pub fn told(&self) -> String {
        let run = self.run.map_or(String::new(), |run| format!(" run {run}"));
        if self.strategy.is_empty() {
            return format!("{}{}", self.message, if run.is_empty() { run } else { format!(" ({})", run.trim()) });
        }
        format!("{}{run}  {}", self.strategy, self.message)
    }

    /// How far apart, to put the worst first.
    #[must_use]
    pub fn weight(&self) -> u64 {
        match (self.then.parse::<u64>(), self.now.parse::<u64>()) {
            (Ok(then), Ok(now)) => then.abs_diff(now),
            _ => u64::MAX,
        }
    }
}
