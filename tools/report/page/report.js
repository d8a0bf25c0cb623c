"use strict";
/* Search and sort in the tables, which are readable without either. */
(function () {
  const tables = Array.from(document.querySelectorAll("main table"));
  const rowsOf = (part) => Array.from(part.querySelectorAll("tr:not(.group)"));
  const words = document.getElementById("words");
  const found = document.getElementById("found");

  function valueOf(row, column) {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.v);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function sort(table, head, column) {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    for (const body of table.tBodies) {
      const rows = rowsOf(body).map((row) => [valueOf(row, column), row]);
      rows.sort((a, b) => (up ? compare(a[0], b[0]) : compare(b[0], a[0])));
      body.append(...rows.map((pair) => pair[1]));
    }
  }

  const folded = Array.from(document.querySelectorAll("main details:not([open])"));
  const unfold = (open) => folded.forEach((fold) => { fold.open = open; });

  function openTarget() {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    const fold = target && target.querySelector("details.rows");
    if (fold) fold.open = true;
  }

  function filter() {
    const wanted = words.value.trim().toLowerCase();
    let shown = 0;
    unfold(wanted !== "");
    for (const table of tables) {
      for (const body of table.tBodies) {
        let left = 0;
        for (const row of rowsOf(body)) {
          row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
          left += row.hidden ? 0 : 1;
        }
        body.hidden = wanted !== "" && left === 0;
        shown += left;
      }
    }
    found.textContent = wanted === "" ? "" : shown + (shown === 1 ? " row" : " rows");
  }

  for (const table of tables) {
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, head, column));
      head.replaceChildren(button);
    });
  }
  words.addEventListener("input", filter);
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => unfold(true));
  addEventListener("afterprint", () => unfold(words.value.trim() !== ""));
  openTarget();
  document.getElementById("search").hidden = false;
})();
