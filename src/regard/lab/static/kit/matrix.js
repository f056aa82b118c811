// Numbers in a grid, typed or pasted: from a spreadsheet, from Python, from a handout.

import { fill, h } from "./dom.js";
import { minus, readNumber } from "./numbers.js";

/**
 * Read a matrix out of pasted text: rows of a spreadsheet (tabs), `[[1, 2], [3, 4]]`,
 * `np.array(…)`, `1 & 2 \\ 3 & 4`, or numbers with blanks. Return rows of texts, or null.
 */
export function readMatrix(text) {
  let plain = text.trim().replace(/\\(begin|end)\{[^}]*\}/g, " ").replace(/−/g, "-");
  plain = plain.replace(/^[^[\d+.-]*(?:array|tensor|matrix)\s*\(/i, "").replace(/,?\s*(dtype\s*=\s*[\w.]+)?\s*\)\s*$/, "");
  plain = plain.replace(/^\s*\w+\s*=\s*/, "");
  const nested = plain.match(/\[([^[\]]*)\]/g);
  const lines = nested ? nested.map((row) => row.slice(1, -1)) : plain.split(/\\\\|\n|;/);
  const separator = /\t/.test(plain) ? /\t/ : /&/.test(plain) ? /&/ : /,\s|,(?=\S*,)|\s+|,/;
  const rows = lines.map((line) => line.trim()).filter(Boolean)
    .map((line) => line.split(separator).map((cell) => cell.trim().replace(/\.$/, "")).filter(Boolean));
  const good = rows.length > 0 && rows[0].length > 0
    && rows.every((row) => row.length === rows[0].length && row.every((cell) => written(cell) !== null));
  return good ? rows : null;
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
 * several numbers into any cell replaces the whole matrix. `names` are the names of the rows.
 */
export function matrixInput({ label, exact = false, names = null, most = 64, onchange, announce = () => {} }) {
  const grid = h("div", { class: "regard-grid-cells" });
  const note = h("p", { class: "regard-note", role: "status" });
  const node = h("fieldset", { class: "regard-matrix" }, h("legend", { class: "regard-label", text: label }), grid, note);
  let rows = [];

  function say(sentence) {
    note.textContent = sentence;
    if (sentence) announce(sentence);
  }

  function cell(i, j) {
    const input = h("input", { type: "text", inputmode: "decimal", class: "regard-number", "aria-label": `${label}, ${names ? names(i) : `row ${i + 1}`}, column ${j + 1}` });
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
      if (!found || found.length > most || found[0].length > most) say("That is no matrix of numbers.");
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
        return next.map((row, i) => row.map((_, j) => cell(i, j)));
      });
      let longest = 0;
      [...grid.children].forEach((input, at) => {
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
