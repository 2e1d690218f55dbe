//! Tables of columns: a header of upper-case words, then rows with every cell under its word. A cell may be empty or
//! have blanks in it, so places are gone by; where they do not fit (pasted text, or a header that is wider than its
//! column), words are, if there are as many as columns.

use super::super::diagnostics::At;

/// A header.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) at: At,
    columns: Vec<(String, usize)>,
}

/// A row's cells, by column.
#[derive(Debug)]
pub(super) struct Row<'t> {
    table: &'t Table,
    cells: Vec<&'t str>,
}

impl Table {
    /// Reads a header; nothing where the line is none.
    pub(super) fn header(line: &str, at: At) -> Option<Table> {
        let upper = |word: &str| word.chars().all(|c| c.is_ascii_uppercase() || "#()-_".contains(c));
        let words: Vec<(usize, &str)> = words(line);
        let first = words.first()?.1;
        if words.len() < 2 || !["GROUP", "ID"].contains(&first) || !words.iter().all(|(_, word)| upper(word)) {
            return None;
        }
        let mut columns: Vec<(String, usize)> = Vec::new();
        for (start, word) in words {
            match columns.last_mut() {
                // `COORDINATOR (ID)` is one column
                Some((before, _)) if word.starts_with('(') => {
                    before.push(' ');
                    before.push_str(word);
                }
                _ => columns.push((word.to_owned(), line[..start].chars().count())),
            }
        }
        Some(Table { at, columns })
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|(name, _)| name == column)
    }

    /// The columns' names.
    pub(super) fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// A line as a row; nothing where it is none.
    pub(super) fn row<'t>(&'t self, line: &'t str) -> Option<Row<'t>> {
        let cells = self.by_place(line).or_else(|| self.by_words(line))?;
        Some(Row { table: self, cells })
    }

    fn by_place<'t>(&self, line: &'t str) -> Option<Vec<&'t str>> {
        let line = line.trim_end();
        let offsets: Option<Vec<usize>> = (!line.is_ascii()).then(|| line.char_indices().map(|(at, _)| at).collect());
        let byte = |place: usize| match &offsets {
            Some(offsets) => offsets.get(place).copied().unwrap_or(line.len()),
            None => place.min(line.len()),
        };
        let mut cells = Vec::with_capacity(self.columns.len());
        for (index, (_, start)) in self.columns.iter().enumerate() {
            let from = byte(*start);
            let to = self.columns.get(index + 1).map_or(line.len(), |(_, next)| byte(*next));
            let cell = &line[from..to];
            let last = index + 1 == self.columns.len();
            let apart = last || to == line.len() || cell.ends_with(' ');
            if !apart || cell.starts_with(' ') && !cell.trim().is_empty() {
                return None;
            }
            cells.push(cell.trim());
        }
        Some(cells)
    }

    fn by_words<'t>(&self, line: &'t str) -> Option<Vec<&'t str>> {
        let words = words(line);
        let coordinator = self.columns.iter().position(|(name, _)| name.starts_with("COORDINATOR"));
        let mut cells = Vec::new();
        let mut at = 0;
        for index in 0..self.columns.len() {
            let (start, word) = *words.get(at)?;
            let two = Some(index) == coordinator && words.get(at + 1).is_some_and(|(_, next)| next.starts_with('('));
            let end = if two { words[at + 1].0 + words[at + 1].1.len() } else { start + word.len() };
            at += if two { 2 } else { 1 };
            let last = index + 1 == self.columns.len();
            // an assignment of old has blanks, and is the last column
            let end = if last && self.columns[index].0.ends_with("ASSIGNMENT") { line.trim_end().len() } else { end };
            cells.push(&line[start..end]);
            if last && end == line.trim_end().len() {
                return Some(cells);
            }
        }
        None
    }
}

impl<'t> Row<'t> {
    /// The cell under a column; nothing where there is no such column or the cell is empty or `-`.
    pub(super) fn cell(&self, column: &str) -> Option<&'t str> {
        self.raw(column).filter(|cell| !cell.is_empty() && *cell != "-")
    }

    /// The cell as printed.
    pub(super) fn raw(&self, column: &str) -> Option<&'t str> {
        let place = self.table.columns.iter().position(|(name, _)| name == column)?;
        self.cells.get(place).copied()
    }
}

/// The words of a line and where they start.
fn words(line: &str) -> Vec<(usize, &str)> {
    let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    line.split_whitespace().map(|word| (start(word), word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(line: &str) -> Table {
        Table::header(line, At::new(0, 0..0)).unwrap()
    }

    #[test]
    fn cells_may_be_empty_and_have_blanks() {
        let table = table("GROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE           #MEMBERS");
        let row = "my own group    127.0.0.1:22002  (2)                           Empty           0";
        let row = table.row(row).unwrap();
        let columns = ["GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS", "OTHER"];
        let cells = ["my own group", "127.0.0.1:22002  (2)", "", "Empty", "0"];
        assert_eq!(columns.map(|c| row.raw(c)), [&cells.map(Some)[..], &[None]].concat()[..]);
        assert_eq!(row.cell("ASSIGNMENT-STRATEGY"), None);
    }

    #[test]
    fn pasted_text_is_read_by_words() {
        let table = table("GROUP COORDINATOR (ID) ASSIGNMENT-STRATEGY STATE #MEMBERS");
        let row = table.row("billing broker-1:9092 (12) range Stable 2").unwrap();
        assert_eq!(row.raw("COORDINATOR (ID)"), Some("broker-1:9092 (12)"));
        assert_eq!(row.raw("#MEMBERS"), Some("2"));
        assert!(table.row("billing broker-1:9092 (12) Stable 2").is_none());
        assert!(table.row("billing broker-1:9092 (12) range Stable 2 3").is_none());
    }

    #[test]
    fn a_header_that_is_wider_than_its_column_is_no_hindrance() {
        let table = table("ID         HOST      PORT       RACK STATE      ENDPOINT_TYPE  ");
        let row = table.row("1          127.0.0.1 21001      a unfenced   broker         ").unwrap();
        assert_eq!([row.raw("RACK"), row.raw("STATE")], [Some("a"), Some("unfenced")]);
    }

    #[test]
    fn places_count_characters() {
        let table = table("GROUP  STATE");
        assert_eq!(table.row("gruppé Empty").unwrap().raw("STATE"), Some("Empty"));
        assert_eq!(table.row("ü").unwrap().raw("GROUP"), Some("ü"));
    }

    #[test]
    fn only_upper_case_words_make_a_header() {
        let at = At::new(0, 0..0);
        assert!(Table::header("GROUP one", at).is_none());
        assert!(Table::header("GROUP", at).is_none());
        assert!(Table::header("TOPIC PARTITION", at).is_none());
    }
}
