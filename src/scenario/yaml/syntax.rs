//! What the YAML parser refuses, told so that it helps: a word that has to be quoted, a bracket that is
//! still open.

use super::super::diagnostics::{At, Problems};

/// Reports an error of the parser at a byte of the text.
pub(super) fn syntax_error(text: &str, source: u32, offset: usize, message: &str, problems: &mut Problems) {
    let offset = floor(text, offset);
    let end = text[offset..].chars().next().map_or(offset, |c| offset + c.len_utf8());
    let line = text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let line_end = text[line..].find('\n').map_or(text.len(), |n| line + n);
    let special = opening(&text[line..line_end]);
    let unclosed = if special.is_none() && message.contains("flow") { open_bracket(&text[..offset]) } else { None };
    let problem = problems.add(At::new(source, offset..end), format!("this is no YAML: {message}"), "");
    if let Some(word) = special {
        let what = match word.starts_with('*') {
            true => "is an alias to YAML",
            false => "opens with a character that means something to YAML",
        };
        problem.help.push(format!("`{word}` {what}: quote it, \"{word}\""));
    }
    let (before, here) = (text[..offset].chars().next_back(), text[offset..].chars().next());
    let help = if here == Some('[') && before.is_some_and(char::is_alphanumeric) {
        "`expect:` is a block list, a line each: `- missed[...] == 0`; or quote the text"
    } else if matches!(before, Some(']' | '}')) && here.is_some_and(|c| !c.is_whitespace()) {
        "text that opens with `[` or `{` has to be quoted"
    } else if let Some(place) = unclosed {
        problem.also.push((At::new(source, place..place + 1), "opened here, and not closed".to_owned()));
        return;
    } else if message.contains("tabs") {
        "indent with blanks"
    } else if message.contains("mapping values") {
        "one `key: value` on a line: begin a new line, or write `{key: value}`"
    } else if message.contains("did not find expected key") || message.contains("expected <document start>") {
        "is this line indented like those it belongs to?"
    } else {
        return;
    };
    problem.help.push(help.to_owned());
}

/// The next character boundary at or before a byte.
pub(super) fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The first word of a line that opens with a character that a plain scalar may not open with.
fn opening(line: &str) -> Option<&str> {
    let code = line.split(" #").next().unwrap_or(line);
    let starts = code.match_indices([' ', ',', '[', '{']).map(|(at, _)| at + 1);
    let special = ['*', '&', '!', '>', '|', '@', '%', '`'];
    let rest = starts.map(|at| &code[at..]).find(|rest| rest.starts_with(special))?;
    let end = rest.find([' ', ',', ']', '}', '\r']).unwrap_or(rest.len());
    rest.get(..end)
}

/// The innermost bracket of a text that is still open at its end.
fn open_bracket(text: &str) -> Option<usize> {
    let (mut open, mut quote, mut comment, mut before) = (Vec::new(), None, false, ' ');
    for (at, c) in text.char_indices() {
        match (c, quote) {
            ('\n', _) => comment = false,
            _ if comment => {}
            (c, Some(q)) if c == q => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) if " ,[{:".contains(before) => quote = Some(c),
            ('#', None) if before.is_whitespace() => comment = true,
            ('[' | '{', None) => open.push(at),
            (']' | '}', None) => drop(open.pop()),
            _ => {}
        }
        before = c;
    }
    open.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_open_bracket_is_found_past_quotes_and_comments() {
        for (text, place) in [
            ("a: {b: [1, 2], c: {d: 1}", Some(3)),
            ("a: [1, {b: 2}\nc: 3", Some(3)),
            ("a: \"[\" # {\nb: [", Some(14)),
            ("a: {b: it's, c: [", Some(16)),
            ("a: [1]", None),
        ] {
            assert_eq!(open_bracket(text), place, "{text}");
        }
    }
}
