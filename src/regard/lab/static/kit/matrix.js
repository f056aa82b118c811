// Numbers in a grid, typed or pasted: from a spreadsheet, from Python, from a handout.

import { fill, h } from "./dom.js";
import { formula, spoken, words } from "./math.js";
import { minus, readNumber } from "./numbers.js";

/**
 * Read a matrix out of pasted text: rows of a spreadsheet (tabs), `[[1, 2], [3, 4]]`,
 * `np.array(…)`, `1 & 2 \\ 3 & 4`, or numbers with blanks. Return rows of texts, or null.
 */
export function readMatrix(text) {
  const rows = cellsOf(text);
  const good = rows.length > 0 && rows[0].length > 0 && unread(rows) === null;
  return good ? rows : null;
}

/** What keeps pasted text from being a matrix, as a sentence. */
export function whyNot(text) {
  const rows = cellsOf(text);
  return (rows.length && unread(rows)) || "Nothing was pasted: there is no number in it.";
}

function unread(rows) {
  for (const [i, row] of rows.entries()) {
    const bad = row.findIndex((cell) => written(cell) === null);
    if (bad >= 0) return row[bad] ? `“${row[bad].slice(0, 30)}” in row ${i + 1} is no number.` : `Row ${i + 1} has an empty cell.`;
    if (row.length !== rows[0].length) return `Row ${i + 1} has ${row.length} numbers, and row 1 has ${rows[0].length}.`;
  }
  return null;
}

/** The cells of pasted text. In a spreadsheet empty ones count, but for those around the numbers. */
function cellsOf(text) {
  let plain = text.replace(/^\s*\n|\s*$/g, "").replace(/\r/g, "").replace(/\\(begin|end)\{[^}]*\}/g, " ").replace(/−/g, "-");
  plain = plain.replace(/^[^[\d+.-]*(?:array|tensor|matrix)\s*\(/i, "").replace(/,?\s*(dtype\s*=\s*[\w.]+)?\s*\)\s*$/, "");
  plain = plain.replace(/^\s*\w+\s*=\s*/, "");
  const nested = plain.match(/\[([^[\]]*)\]/g);
  const lines = nested ? nested.map((row) => row.slice(1, -1)) : plain.split(/\\\\|\n|;/);
  const tabs = !nested && /\t/.test(plain);
  const separator = tabs ? /\t/ : /&/.test(plain) ? /&/ : /,\s|,(?=\S*,)|\s+|,/;
  const rows = lines.filter((line) => line.trim()).map((line) =>
    (tabs ? line : line.trim()).split(separator).map((cell) => cell.trim().replace(/\.$/, "")));
  if (!tabs) return rows.map((row) => row.filter(Boolean));
  const width = Math.max(0, ...rows.map((row) => row.length));
  const used = Array.from({ length: width }, (_, j) => rows.some((row) => row[j]));
  const [first, last] = [used.indexOf(true), used.lastIndexOf(true)];
  return rows.map((row) => Array.from({ length: last - first + 1 }, (_, j) => row[first + j] ?? ""));
}

/** How wide a cell has to be for so many digits. */
export function wide(digits) {
  return `${(0.62 * Math.min(digits, 12) + 1).toFixed(2)}rem`;
}

/** A cell as a number, or as it is written if it is a fraction such as 1/3; null if it is neither. */
export function written(cell) {
  const x = readNumber(cell);
  if (x !== null) return x;
  return /^[-+]?\d+(\.\d+)?\/\d+$/.test(cell.trim()) ? cell.trim() : null;
}

/**
 * A grid of inputs. `onchange(rows)` with numbers, or fractions as text where `exact` is set. Pasting
 * several numbers into any cell replaces the whole matrix. `names(i)` are the names of the rows as they are
 * said; with `columns(j)`, those of the columns, both are formulas such as "k_1", beside the numbers and above.
 */
export function matrixInput({ label, exact = false, names = null, columns = null, most = 64, onchange, announce = () => {} }) {
  const grid = h("div", { class: "regard-grid-cells" });
  const note = h("p", { class: "regard-note", role: "status" });
  const why = h("p", { class: "regard-note" });
  const node = h("fieldset", { class: "regard-matrix" }, h("legend", { class: "regard-label" }, words(label)), grid, note, why);
  const said = label.replace(/\$/g, "");
  let rows = [];
  let cells = [];

  function say(sentence, reason = "") {
    note.textContent = sentence;
    why.textContent = reason;
    if (sentence) announce(`${sentence} ${reason}`.trim());
  }

  const name = (text) => h("span", { class: "regard-cell-name", "aria-hidden": "true" }, formula(text));

  function cell(i, j) {
    const input = h("input", { type: "text", inputmode: "decimal", class: "regard-number", "aria-label": `${said}, ${names ? spoken(names(i)) : `row ${i + 1}`}, column ${j + 1}` });
    input.addEventListener("change", () => {
      const value = written(input.value);
      const good = value !== null && (exact || typeof value === "number");
      input.setAttribute("aria-invalid", String(!good));
      say(good ? "" : `“${input.value}” is no number${exact ? " and no fraction" : ""}.`);
      if (good) onchange(rows.map((row, a) => row.map((x, b) => (a === i && b === j ? value : x))));
    });
    input.addEventListener("paste", (event) => {
      const pasted = event.clipboardData.getData("text");
      if (written(pasted) !== null) return;
      event.preventDefault();
      const found = readMatrix(pasted);
      if (!found) say("That is no matrix of numbers.", whyNot(pasted));
      else if (found.length > most || found[0].length > most) say(`That is more than ${most} × ${most} numbers: ${found.length} × ${found[0].length}.`);
      else {
        say(`Pasted ${found.length} × ${found[0].length} numbers.`);
        onchange(found.map((row) => row.map((x) => (exact ? written(x) : Number(written(x))))));
      }
    });
    return input;
  }

  return {
    node,
    /** Show rows of numbers. */
    set(next) {
      rows = next;
      fill(grid, [next.length, next[0]?.length], () => {
        grid.style.setProperty("--columns", String(next[0]?.length ?? 1));
        grid.classList.toggle("regard-named-rows", columns !== null);
        cells = next.map((row, i) => row.map((_, j) => cell(i, j)));
        const head = columns ? [h("span", {}), next[0].map((_, j) => name(columns(j)))] : [];
        return [...head, ...cells.map((row, i) => [columns ? name(names(i)) : [], row])];
      });
      let longest = 0;
      cells.flat().forEach((input, at) => {
        const width = next[0].length;
        const value = next[Math.floor(at / width)][at % width];
        const shown = typeof value === "number" ? minus(String(Number(value.toPrecision(6)))) : value;
        longest = Math.max(longest, shown.length);
        if (document.activeElement === input || input.value === shown) return;
        input.value = shown;
        input.removeAttribute("aria-invalid");
      });
      grid.style.setProperty("--wide", wide(longest));
    },
  };
}
