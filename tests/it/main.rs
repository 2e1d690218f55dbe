//! One binary, one file per promise.

mod layers;
mod scenarios;
