//! `kafka-features.sh describe`: of all features, what `metadata.version` the broker's software supports at most is its
//! release.

use super::super::diagnostics::Problems;
use super::keyed::{pairs, value};
use super::seen::Seen;
use super::sift::Line;

/// Reads a line, if it is one of these.
pub(super) fn line(line: Line<'_>, seen: &mut Seen, p: &mut Problems) -> bool {
    if !line.text.starts_with("Feature:") {
        return false;
    }
    let pairs = pairs(line.text).unwrap_or_default();
    let Some(supported) = value(&pairs, "SupportedMaxVersion").filter(|text| !text.is_empty()) else {
        p.add(
            line.at,
            "this feature has no greatest version",
            "expected `SupportedMaxVersion:`; is the line cut short?",
        );
        return true;
    };
    if value(&pairs, "Feature") == Some("metadata.version") {
        match seen.supported.replace(supported.to_owned()) {
            Some(other) if other != supported => {
                let message = format!("metadata.version reaches {supported} here and {other} before");
                p.add(line.at, message, "are these files of one cluster, and of one time?");
            }
            Some(_) | None => {}
        }
    }
    true
}
