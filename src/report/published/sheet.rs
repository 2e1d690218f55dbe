//! A table with a line above and notes below, for a screen or as Markdown.

use std::fmt::Write as _;

use crate::report::explained::escaped;
use crate::report::table::{Cell, Column, Grid, Screen, folded};

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// What it is about.
    pub title: String,
    /// Heads; the first column is text, the others are figures.
    pub heads: Vec<String>,
    /// A cell for each head.
    pub rows: Vec<Vec<String>>,
    /// Below it.
    pub notes: Vec<String>,
}

impl Sheet {
    /// For a terminal.
    #[must_use]
    pub fn screen(&self, screen: Screen) -> String {
        let columns = self.heads.iter().enumerate();
        let columns = columns.map(|(i, head)| if i == 0 { Column::text(head) } else { Column::figure(head) });
        let mut grid = Grid::new(columns.collect());
        self.rows.iter().for_each(|row| grid.row(row.iter().map(Cell::plain).collect()));
        let mut text = format!("{}\n{}", self.title, grid.render(screen));
        for note in &self.notes {
            let words: Vec<String> = note.split(' ').map(str::to_owned).collect();
            text += &folded(&words, " ", screen.width);
        }
        text
    }

    /// For a README or a ticket.
    #[must_use]
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = format!("**{}**\n\n", escaped(&self.title));
        text += &line(&self.heads);
        text += &format!("|---|{}\n", "---:|".repeat(self.heads.len().saturating_sub(1)));
        self.rows.iter().for_each(|row| text += &line(row));
        text.push('\n');
        for note in &self.notes {
            let _ = writeln!(text, "* {}", escaped(note));
        }
        text
    }
}
