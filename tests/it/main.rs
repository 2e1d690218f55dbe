//! One binary, one file per promise.

mod assign;
mod assigning;
mod cases_assign;
mod cases_costs;
mod cases_missed;
mod cases_spurious;
mod cases_users;
mod checks;
mod classic;
mod cli;
mod conformance;
mod deployed;
mod differ;
mod heap_sizes;
mod ideal;
mod identity;
mod import;
mod kinds;
mod layers;
mod replay;
mod scenarios;
mod show;
mod steps;
mod support;
mod sweeps;
mod users_of_results;
