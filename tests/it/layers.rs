//! A folder of `src/` may use only folders with a smaller number: the table in `src/lib.rs` and
//! docs/architecture.md, held here by reading every `crate::` path.

use std::fs;
use std::path::{Path, PathBuf};

const LAYERS: [&str; 11] = [
    "sim",
    "kafka",
    "scenario",
    "world",
    "strategy",
    "coordinator",
    "metrics",
    "experiment",
    "conformance",
    "report",
    "cli",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The folders that a source names as `crate::folder`, tests of its own left out.
fn used(text: &str) -> Vec<usize> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    let paths = code.split("crate::").skip(1);
    let word = |rest: &str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
    paths.map(word).filter_map(|word| LAYERS.iter().position(|l| *l == word)).collect()
}

#[test]
fn a_folder_uses_only_folders_below_it() {
    let mut wrong = Vec::new();
    for (own, layer) in LAYERS.iter().enumerate() {
        let mut sources = Vec::new();
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(layer), &mut sources);
        assert!(!sources.is_empty(), "src/{layer} is there");
        for path in sources {
            let text = fs::read_to_string(&path).unwrap();
            for other in used(&text).into_iter().filter(|other| *other > own) {
                wrong.push(format!("{} uses {}", path.display(), LAYERS[other]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_layer_reader_finds_a_use_that_goes_upwards() {
    assert_eq!(used("use crate::report::Row;\nuse crate::{sim, world};\ncrate::cli::run();"), [9, 10]);
}

#[test]
fn strategies_never_see_the_world() {
    let mut sources = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/strategy"), &mut sources);
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("crate::world"), "{} sees the world", path.display());
    }
}
