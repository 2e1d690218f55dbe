//! Where a command writes: data to one stream, words for people to the other.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::report::table::Screen;

use super::{Failure, Format};

/// The two streams and what is known of them.
pub struct Console<'a> {
    /// Data.
    pub out: &'a mut dyn Write,
    /// Words for people.
    pub err: &'a mut dyn Write,
    /// Colours on `out`?
    pub colour: bool,
    /// Colours on `err`?
    pub colour_err: bool,
    /// Is `err` a terminal, where a line may be written over?
    pub live: bool,
    /// Columns of the terminal that `out` is; `None`: it is none.
    pub width: Option<usize>,
}

impl<'a> Console<'a> {
    /// The process's own.
    #[must_use]
    pub fn of_process(out: &'a mut io::Stdout, err: &'a mut io::Stderr) -> Console<'a> {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let width = out.is_terminal().then(|| terminal_width(out));
        let colour = out.is_terminal() && !plain;
        let colour_err = err.is_terminal() && !plain;
        let live = err.is_terminal() && !plain;
        Console { out, err, colour, colour_err, live, width }
    }

    /// As tables need it.
    #[must_use]
    pub fn screen(&self) -> Screen {
        Screen { width: self.width.unwrap_or(Screen::PAPER.width), colour: self.colour }
    }

    /// Prints data.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Prints words, a line.
    pub(crate) fn say(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.err, "{text}")?)
    }

    /// Says how far it is, on a line that the next one takes; nothing where nobody watches.
    pub(crate) fn progress(&mut self, text: &str) -> Result<(), Failure> {
        if self.live {
            write!(self.err, "\r\x1b[K{text}")?;
            self.err.flush()?;
        }
        Ok(())
    }

    /// Prints rows in a format that is not a table.
    pub(crate) fn rows<R: Serialize>(&mut self, rows: &[R], format: Format, header: &str) -> Result<(), Failure> {
        let text = match format {
            Format::Table => return Ok(()),
            Format::Csv => {
                let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(header.as_bytes().to_vec());
                rows.iter().try_for_each(|row| csv.serialize(row)).map_err(|e| Failure::Machine(e.to_string()))?;
                csv.into_inner().map_err(|e| Failure::Machine(e.to_string()))?
            }
            Format::Json => {
                let mut text = serde_json::to_vec_pretty(rows).map_err(|e| Failure::Machine(e.to_string()))?;
                text.push(b'\n');
                text
            }
        };
        Ok(self.out.write_all(&text)?)
    }
}

#[cfg(unix)]
fn terminal_width(out: &io::Stdout) -> usize {
    let asked = rustix::termios::tcgetwinsize(out).map_or(0, |size| usize::from(size.ws_col));
    if asked == 0 { 80 } else { asked }
}

#[cfg(not(unix))]
fn terminal_width(_out: &io::Stdout) -> usize {
    80
}
