//! From tree to text: block style outside, one line where a value is short; quoted as it was read, so
//! that reading it again gives the same tree.

use super::{Key, Kind, Node};

/// Values up to this width stand on one line.
const WIDTH: usize = 100;

/// The document as YAML.
pub(crate) fn emit(root: &Node) -> String {
    let mut out = String::new();
    block(root, 0, &mut out);
    out
}

fn block(node: &Node, indent: usize, out: &mut String) {
    match &node.kind {
        Kind::Map(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                pad(indent, out);
                out.push_str(&key_text(key));
                out.push(':');
                after(value, indent, must_be_block(indent, key), out);
            }
        }
        Kind::List(items) if !items.is_empty() => {
            for item in items {
                pad(indent, out);
                out.push('-');
                after(item, indent, false, out);
            }
        }
        Kind::Scalar { .. } | Kind::List(_) | Kind::Map(_) => {
            pad(indent, out);
            out.push_str(&flow(node, false));
            out.push('\n');
        }
    }
}

/// The top level's own lists and maps are never written on one line, whatever they hold.
fn must_be_block(indent: usize, key: &Key) -> bool {
    indent == 0 && matches!(key.text.as_str(), "topics" | "groups" | "history" | "strategies" | "expect")
}

fn after(value: &Node, indent: usize, tall: bool, out: &mut String) {
    let empty = matches!(&value.kind, Kind::List(items) if items.is_empty())
        || matches!(&value.kind, Kind::Map(entries) if entries.is_empty());
    let scalar = matches!(value.kind, Kind::Scalar { .. });
    if scalar || empty || (!tall && width(value, WIDTH).is_some()) {
        out.push(' ');
        out.push_str(&flow(value, false));
        out.push('\n');
    } else {
        out.push('\n');
        block(value, indent + 2, out);
    }
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Its width on one line, if within `room`.
fn width(node: &Node, room: usize) -> Option<usize> {
    let sum = match &node.kind {
        Kind::Scalar { text, .. } => text.len() + 2,
        Kind::List(items) => {
            items.iter().try_fold(2, |sum, item| Some(sum + 2 + width(item, room.checked_sub(sum)?)?))?
        }
        Kind::Map(entries) => entries.iter().try_fold(2, |sum: usize, (key, item)| {
            Some(sum + key.text.len() + 4 + width(item, room.checked_sub(sum)?)?)
        })?,
    };
    (sum <= room).then_some(sum)
}

fn flow(node: &Node, inside: bool) -> String {
    match &node.kind {
        Kind::Scalar { text, plain } => scalar(text, *plain, inside),
        Kind::List(items) => format!("[{}]", items.iter().map(|n| flow(n, true)).collect::<Vec<_>>().join(", ")),
        Kind::Map(entries) => {
            let pairs: Vec<String> =
                entries.iter().map(|(k, n)| format!("{}: {}", key_text(k), flow(n, true))).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

fn key_text(key: &Key) -> String {
    scalar(&key.text, key.plain, true)
}

/// As it was written, if that can be read again here; else in double quotes.
fn scalar(text: &str, plain: bool, inside: bool) -> String {
    if plain && text.is_empty() {
        return "null".to_owned();
    }
    if plain && can_be_plain(text, inside) { text.to_owned() } else { quoted(text) }
}

fn can_be_plain(text: &str, inside: bool) -> bool {
    let opens = |c: char| "*&!|>@%`\"'#,[]{}".contains(c);
    let first = text.starts_with(opens)
        || (text.starts_with(['-', '?', ':']) && text[1..].chars().next().is_none_or(|c| " ,[]{}".contains(c)));
    let trimmed = text.trim() == text && !text.chars().any(char::is_control);
    let breaks = text.contains(": ") || text.contains(" #") || text.ends_with(':') || text.contains('\u{feff}');
    let flow = inside && text.contains([',', '[', ']', '{', '}', ':']);
    trimmed && !first && !breaks && !flow && !text.starts_with("---") && !text.starts_with("...")
}

/// In double quotes, with YAML's escapes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || c == '\u{feff}' || c == '\u{2028}' || c == '\u{2029}' => {
                out.push_str(&format!("\\U{:08x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
