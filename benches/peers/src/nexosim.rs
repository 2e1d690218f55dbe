//! The periodic model in NeXosim: each member a model of its own, which schedules itself with a period; one thread.

mod periodic;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nexosim::model::{Context, Model, schedulable};
use nexosim::simulation::{Mailbox, SimInit};
use nexosim::time::MonotonicTime;
use periodic::{INTERVAL_MS, Periodic, cpu};
use serde::{Deserialize, Serialize};

static BEATS: AtomicU64 = AtomicU64::new(0);

#[derive(Serialize, Deserialize)]
struct Member {
    phase_ms: u64,
}

#[Model]
impl Member {
    #[nexosim(init)]
    async fn init(&mut self, cx: &Context<Self>) {
        let (phase, interval) = (Duration::from_millis(self.phase_ms), Duration::from_millis(INTERVAL_MS));
        cx.schedule_periodic_event(phase, interval, schedulable!(Self::beat), ()).expect("it is in the future");
    }

    #[nexosim(schedulable)]
    async fn beat(&mut self) {
        BEATS.fetch_add(1, Ordering::Relaxed);
    }
}

fn main() {
    let periodic = Periodic::from_args();
    let mut bench = SimInit::with_num_threads(1);
    for member in 0..periodic.members {
        bench = bench.add_model(Member { phase_ms: periodic.phase_ms(member) }, Mailbox::new(), &format!("m-{member}"));
    }
    let start = MonotonicTime::EPOCH;
    let mut simulation = bench.init(start).expect("it can begin");
    let began = cpu();
    simulation.step_until(start + Duration::from_millis(periodic.end_ms())).expect("it runs to the end");
    periodic.say("NeXosim 1.0.0", BEATS.load(Ordering::Relaxed), cpu() - began);
}
