//! The periodic model in SimCore: each member a component, which sends itself its next beat.

mod periodic;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use periodic::{INTERVAL_MS, Periodic, cpu};
use serde::Serialize;
use simcore::{Event, EventHandler, Simulation, SimulationContext, cast};

#[derive(Clone, Serialize)]
struct Beat {}

struct Member {
    context: SimulationContext,
    beats: Rc<Cell<u64>>,
}

impl EventHandler for Member {
    fn on(&mut self, event: Event) {
        cast!(match event.data {
            Beat {} => {
                self.beats.set(self.beats.get() + 1);
                // a millisecond is the unit, so that times are whole numbers
                self.context.emit_self(Beat {}, INTERVAL_MS as f64);
            }
        })
    }
}

fn main() {
    let periodic = Periodic::from_args();
    let mut simulation = Simulation::new(1);
    let beats = Rc::new(Cell::new(0));
    for member in 0..periodic.members {
        let name = format!("m-{member}");
        let context = simulation.create_context(&name);
        context.emit_self(Beat {}, periodic.phase_ms(member) as f64);
        simulation.add_handler(&name, Rc::new(RefCell::new(Member { context, beats: Rc::clone(&beats) })));
    }
    let began = cpu();
    simulation.step_until_time(periodic.end_ms() as f64);
    periodic.say("SimCore 0.1.0", beats.get(), cpu() - began);
}
