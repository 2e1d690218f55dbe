"use strict";
for (const section of document.querySelectorAll("section")) {
  const table = section.querySelector("table");
  if (!table) continue;
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const figures = body.rows.length > 0 && [...body.rows].some((row) => row.cells[column].dataset.n !== undefined);
      const before = head.getAttribute("aria-sort");
      // figures begin with the largest, words with the first
      const down = before === null ? figures : before === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => {
        const cell = row.cells[column];
        return figures ? (cell.dataset.n === undefined ? -1 : Number(cell.dataset.n)) : cell.textContent;
      };
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [value(a), value(b)];
        const order = figures ? x - y : x.localeCompare(y, "en", { numeric: true });
        return down ? -order : order;
      });
      body.append(...rows);
    });
  });
  section.querySelector(".filter").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}
