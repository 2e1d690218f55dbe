//! Every shipped scenario loads, and its resolved text means the same.

use std::path::{Path, PathBuf};

use rebalance_sim::scenario;

pub(crate) fn shipped() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    for folder in [root.clone(), root.join("trigger-table"), root.join("findings")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "yaml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_shipped_scenario_loads() {
    assert!(shipped().len() > 10);
    for path in shipped() {
        let loaded = scenario::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let again = scenario::load_text(&loaded.scenario.name, &loaded.resolved, &[]);
        let again = again.unwrap_or_else(|problems| panic!("{}: resolved text: {problems}", path.display()));
        // places in the text differ, and nothing else
        let placeless = |mut scenario: scenario::Scenario| {
            scenario.history.iter_mut().for_each(|entry| entry.at = 0..0);
            scenario
        };
        assert!(placeless(again.scenario) == placeless(loaded.scenario), "{} means the same", path.display());
    }
}
