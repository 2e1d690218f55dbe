//! One binary, one file per promise.

mod cli;
mod layers;
mod scenarios;
