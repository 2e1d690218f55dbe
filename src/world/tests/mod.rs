//! Promises of a history, checked against closed forms.

mod determinism;
mod starts;
