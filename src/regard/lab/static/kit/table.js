// The table behind a picture: what the eye sees, for those who read or listen.

import { fill, h } from "./dom.js";
import { words } from "./math.js";

/** A table; cells are texts with `$formulas$`. The first cell of a row is its header. */
export function table({ caption, columns, rows }) {
  const head = h("tr", {}, columns.map((column) => h("th", { scope: "col" }, words(column))));
  const body = rows.map(([first, ...rest]) =>
    h("tr", {}, h("th", { scope: "row" }, words(String(first))), rest.map((cell) => h("td", {}, words(String(cell))))));
  return h("div", { class: "regard-table", tabindex: "0", role: "region", "aria-label": caption },
    h("table", {}, h("caption", { text: caption }), h("thead", {}, head), h("tbody", {}, body)));
}

/** Rows of a matrix from numbers as they are written: in each column the points stand below each other. */
export function aligned(rows, data = () => null) {
  const tail = (text) => /[.\u00a0].*$/.exec(text)?.[0] ?? "";
  const wide = rows[0].map((_, j) => Math.max(...rows.map((row) => tail(row[j]).length)));
  return rows.map((row, i) => h("tr", {}, row.map((text, j) => h("td", { "data-value": data(i, j) }, text.slice(0, text.length - tail(text).length),
    wide[j] ? h("span", { class: "regard-tail", text: tail(text), vars: { "--n": String(wide[j]) } }) : null))));
}

/** A fold that holds a table, which is made when it is open; `show(data)` renews it. */
export function tableFold(summary) {
  const place = h("div");
  let data = null;
  const renew = () => { if (node.open && data) fill(place, data, () => table(data)); };
  const node = h("details", { class: "regard-fold", ontoggle: renew }, h("summary", { text: summary }), place);
  return { node, show(next) { data = next; renew(); } };
}
