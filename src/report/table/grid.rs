//! A table for a screen: columns aligned, and folded into blocks one below the other where the screen is
//! too narrow for all of them. The first column is repeated in every block.

use super::line::{Line, Screen, Tone};

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// How it looks.
    pub tone: Tone,
}

impl Cell {
    /// Plain text.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), tone: Tone::Plain }
    }

    /// Text that is faint if `nothing`.
    #[must_use]
    pub fn faint_if(nothing: bool, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), tone: if nothing { Tone::Faint } else { Tone::Plain } }
    }

    /// Text that warns unless `nothing`.
    #[must_use]
    pub fn warn_unless(nothing: bool, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), tone: if nothing { Tone::Faint } else { Tone::Warn } }
    }
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    head: String,
    left: bool,
    before_head: &'static str,
    before_cell: &'static str,
    /// May a new block begin with it?
    foldable: bool,
}

impl Column {
    /// Text, to the left.
    #[must_use]
    pub fn text(head: impl Into<String>) -> Column {
        Column { head: head.into(), left: true, before_head: "  ", before_cell: "  ", foldable: true }
    }

    /// A figure, to the right.
    #[must_use]
    pub fn figure(head: impl Into<String>) -> Column {
        Column { left: false, ..Column::text(head) }
    }

    /// Joined to the one before by a sign in the head, as in `rebalances = needed`; never parted from it.
    #[must_use]
    pub fn joined(self, before_head: &'static str, before_cell: &'static str) -> Column {
        debug_assert_eq!(before_head.chars().count(), before_cell.chars().count(), "heads stand above their cells");
        Column { before_head, before_cell, foldable: false, ..self }
    }

    /// The first of a group, set off by a line.
    #[must_use]
    pub fn apart(self) -> Column {
        Column { before_head: " │ ", before_cell: " │ ", foldable: true, ..self }
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Grid {
    /// No rows yet; the first column names them.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Grid {
        Grid { columns, rows: Vec::new() }
    }

    /// Adds a row: a cell for each column.
    pub fn row(&mut self, cells: Vec<Cell>) {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        self.rows.push(cells);
    }

    /// Are there no rows?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All lines, each ending with a newline; at most `screen.width` wide where a single group of columns fits.
    #[must_use]
    pub fn render(&self, screen: Screen) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|c| self.width(c)).collect();
        let mut out = String::new();
        for (i, block) in self.blocks(&widths, screen.width).into_iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            self.render_block(&block, &widths, screen, &mut out);
        }
        out
    }

    /// Which columns stand side by side.
    fn blocks(&self, widths: &[usize], screen: usize) -> Vec<Vec<usize>> {
        let wide = |c: usize| widths[c] + self.columns[c].before_head.chars().count();
        // columns that belong together, the naming one left out
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for c in 1..self.columns.len() {
            match groups.last_mut() {
                Some(group) if !self.columns[c].foldable => group.push(c),
                _ => groups.push(vec![c]),
            }
        }
        let mut blocks = vec![vec![0]];
        let mut used = widths[0];
        for group in groups {
            let more: usize = group.iter().map(|&c| wide(c)).sum();
            let block = blocks.last_mut().expect("there is always one");
            if used + more > screen && block.len() > 1 {
                blocks.push(vec![0]);
                used = widths[0];
            }
            blocks.last_mut().expect("there is always one").extend(group);
            used += more;
        }
        blocks
    }

    fn render_block(&self, block: &[usize], widths: &[usize], screen: Screen, out: &mut String) {
        // a name that leaves no room for the figures gets a line of its own
        let rest: usize = block[1..].iter().map(|&c| widths[c] + self.columns[c].before_head.chars().count()).sum();
        let first = if widths[0] + rest > screen.width {
            widths[0].min(screen.width.saturating_sub(rest).max(self.columns[0].head.chars().count().max(2)))
        } else {
            widths[0]
        };
        let width = |c: usize| if c == 0 { first } else { widths[c] };
        let mut line = Line::default();
        for (i, &c) in block.iter().enumerate() {
            let column = &self.columns[c];
            if c > 0 {
                line.gap(if i == 1 && column.foldable { lead(column.before_head) } else { column.before_head });
            }
            line.cell(&column.head, Tone::Strong, width(c), column.left, screen.colour);
        }
        line.end(out);
        for row in &self.rows {
            let mut line = Line::default();
            for (i, &c) in block.iter().enumerate() {
                let (column, cell) = (&self.columns[c], &row[c]);
                if c > 0 {
                    line.gap(if i == 1 && column.foldable { lead(column.before_cell) } else { column.before_cell });
                }
                if c == 0 && cell.text.chars().count() > first {
                    let mut name = Line::default();
                    name.cell(&cell.text, cell.tone, 0, true, screen.colour);
                    name.end(out);
                    line.cell("", Tone::Plain, first, true, false);
                } else {
                    line.cell(&cell.text, cell.tone, width(c), column.left, screen.colour);
                }
            }
            line.end(out);
        }
    }

    fn width(&self, c: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[c].text.chars().count());
        cells.chain([self.columns[c].head.chars().count()]).max().unwrap_or(0)
    }
}

/// A block does not begin with the line between groups.
fn lead(before: &'static str) -> &'static str {
    if before == " │ " { "   " } else { before }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(name: &str) -> Grid {
        let mut grid = Grid::new(vec![
            Column::text(""),
            Column::figure("all"),
            Column::figure("good").joined(" = ", "   "),
            Column::figure("bad").joined(" + ", "   "),
            Column::figure("cost").apart(),
        ]);
        grid.row([name, "1,000", "7", "993", "0.5×"].map(Cell::plain).to_vec());
        grid
    }

    #[test]
    fn figures_stand_under_their_heads() {
        let text = grid("one").render(Screen::PAPER);
        assert_eq!(text, "       all = good + bad │ cost\none  1,000      7   993 │ 0.5×\n");
    }

    #[test]
    fn a_narrow_screen_gets_blocks_and_never_parts_an_equation() {
        let text = grid("one").render(Screen { width: 24, colour: false });
        assert_eq!(text, "       all = good + bad\none  1,000      7   993\n\n      cost\none   0.5×\n");
    }

    #[test]
    fn a_long_name_gets_its_own_line() {
        let text = grid("a-long-strategy-name").render(Screen { width: 24, colour: false });
        assert_eq!(
            text,
            "        all = good + bad\na-long-strategy-name\n      1,000      7   993\n\n                    cost\na-long-strategy-name\n                    0.5×\n"
        );
    }

    #[test]
    fn colours_take_no_room() {
        let mut grid = grid("one");
        grid.row(vec![
            Cell::plain("two"),
            Cell::faint_if(true, "0"),
            Cell::plain("0"),
            Cell::warn_unless(false, "9"),
            Cell::plain("–"),
        ]);
        let text = grid.render(Screen { width: 200, colour: true });
        let bare: String = text
            .split('\x1b')
            .map(|part| part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |p| p.1))
            .collect();
        assert_eq!(bare, grid.render(Screen::PAPER));
        assert!(text.contains("\x1b[33m9\x1b[0m"));
    }
}
