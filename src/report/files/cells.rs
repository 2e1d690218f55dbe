//! A CSV file as cells with names, whatever columns it has: how results of different versions are held
//! against each other.

use std::fs;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::read::ReadError;
use super::writer::header;

/// A table of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<String>>,
}

impl Cells {
    /// Reads CSV text with a header.
    ///
    /// # Errors
    /// What is wrong with it, with its line.
    pub fn parse(text: &str) -> Result<Cells, String> {
        if !text.is_empty() && !text.ends_with('\n') {
            return Err("it is cut short in its last line".to_owned());
        }
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| match e.kind() {
                csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                    let line = pos.as_ref().map_or(0, csv::Position::line);
                    format!("line {line} has {len} cells instead of {expected_len}")
                }
                _ => e.to_string(),
            })?;
            rows.push(record.iter().map(str::to_owned).collect::<Vec<String>>());
        }
        if rows.is_empty() {
            return Err("it has no header".to_owned());
        }
        let columns = rows.remove(0);
        Ok(Cells { columns, rows })
    }

    /// Reads a CSV file.
    ///
    /// # Errors
    /// If it is not there, cut short, or no CSV.
    pub fn read(path: &Path) -> Result<Cells, ReadError> {
        let text = fs::read_to_string(path).map_err(|e| {
            ReadError::new(match e.kind() {
                io::ErrorKind::NotFound => format!("{} is missing", path.display()),
                _ => format!("cannot read {}: {e}", path.display()),
            })
        })?;
        Cells::parse(&text).map_err(|why| ReadError::new(format!("{}: {why}", path.display())))
    }

    /// Rows as they would be written.
    #[must_use]
    pub fn of<R: Serialize + Default>(rows: &[R]) -> Cells {
        Cells::parse(&format!("{}{}", header::<R>(), lines(rows))).expect("what this program writes, it reads")
    }

    /// The place of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// A cell; an absent column is an empty one.
    #[must_use]
    pub fn cell<'a>(&self, row: &'a [String], name: &str) -> &'a str {
        self.column(name).and_then(|at| row.get(at)).map_or("", String::as_str)
    }
}

/// Rows as CSV without their header.
#[must_use]
pub fn lines<R: Serialize>(rows: &[R]) -> String {
    let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    for row in rows {
        csv.serialize(row).expect("a row of plain values serializes");
    }
    String::from_utf8(csv.into_inner().expect("a vector takes all bytes")).expect("what was text is text")
}

/// Cells as one line of CSV.
#[must_use]
pub fn line<T: AsRef<[u8]>>(cells: impl IntoIterator<Item = T>) -> String {
    let mut csv = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    csv.write_record(cells).expect("a vector takes all bytes");
    String::from_utf8(csv.into_inner().expect("a vector takes all bytes")).expect("what was text is text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_name_and_what_is_cut_short_is_told() {
        let cells = Cells::parse("a,b\n1,\"x, y\"\n").unwrap();
        assert_eq!(cells.cell(&cells.rows[0], "b"), "x, y");
        assert_eq!(cells.cell(&cells.rows[0], "c"), "");
        assert_eq!(Cells::parse("a,b\n1,2").unwrap_err(), "it is cut short in its last line");
        assert_eq!(Cells::parse("a,b\n1\n").unwrap_err(), "line 2 has 1 cells instead of 2");
        assert_eq!(Cells::parse("").unwrap_err(), "it has no header");
        assert_eq!(line(["a", "b, c"]), "a,\"b, c\"\n");
    }
}
