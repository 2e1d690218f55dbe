//! The lane of `classic-client`: groups on the classic protocol, in which no coordinator decides. The group's leader
//! holds what its own metadata says against what it last assigned with, whenever its metadata is refreshed; members
//! with patterns find new topics one by one. The same history and the same judge as every other lane.

mod finish;
mod group;
mod lane;
mod members;
mod refreshes;
mod views;

pub(super) use lane::ClassicLane;
