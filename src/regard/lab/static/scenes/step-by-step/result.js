// A matrix of results: every number is a button that tells where it came from.

import { fill, h, set } from "../../kit/dom.js";
import { formula, spoken, words } from "../../kit/math.js";
import { wide } from "../../kit/matrix.js";
import { minus, number } from "../../kit/numbers.js";
import { entryName, placeOf } from "./places.js";

const SHORT = 5; // characters of an exact number that fits into a cell

/** A number in a cell: as many of three digits as there is room for; all of them once it is chosen. */
function decimals(x) {
  if (Math.abs(x) < 0.001) return "≈ 0";
  const texts = [3, 2, 1].map((digits) => number(x, digits, true));
  return texts.find((text) => text.length <= SHORT) ?? texts[2];
}

/** A grid of buttons; `onpick(entry)`. The arrow keys go from number to number. */
export function result({ letter, name, onpick }) {
  const legend = h("p", { class: "regard-equation" });
  const grid = h("div", { class: "regard-cells" });
  const node = h("div", { class: "regard-block", role: "group", "aria-label": name }, legend, grid);
  let cells = [];

  function build(height, width) {
    grid.style.setProperty("--columns", String(width));
    cells = [];
    return Array.from({ length: height }, (_, i) => {
      const line = Array.from({ length: width }, (_, j) => h("button", { type: "button", class: "regard-cell", onclick: () => onpick(entryName(letter, i, j)) }));
      cells.push(line);
      return [h("span", { class: "regard-row-name" }, formula(`${letter}_${i + 1}`)), line];
    });
  }

  grid.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by) return;
    const i = cells.findIndex((line) => line.includes(event.target));
    const next = cells[i + by[0]]?.[cells[i]?.indexOf(event.target) + by[1]];
    event.preventDefault();
    next?.focus();
    next?.click();
  });

  return {
    node,
    /** Show exact numbers and floats; `picked` is the entry chosen, `sources(i, j)` what made it. */
    show({ exact, floats, picked, sources, unused, equation }) {
      fill(legend, equation, () => words(equation));
      fill(grid, [floats.length, floats[0].length], () => build(floats.length, floats[0].length));
      const at = placeOf(picked);
      let longest = 0;
      cells.forEach((line, i) => line.forEach((cell, j) => {
        const chosen = at.letter === letter && at.i === i && at.j === j;
        const short = exact[i][j] !== null && exact[i][j].length <= SHORT ? minus(exact[i][j]) : decimals(floats[i][j]);
        longest = Math.max(longest, short.length);
        const tone = chosen ? "regard-chosen" : sources(i, j) ? "regard-source" : "";
        set(cell, {
          text: short,
          class: `regard-cell ${letter === "a" ? "regard-shaded" : ""} ${unused(i, j) ? "regard-unused" : ""} ${tone}`,
          "aria-pressed": String(chosen),
          "aria-label": `${spoken(entryName(letter, i, j))}: ${short}${unused(i, j) ? ", hidden by the mask" : ""}`,
          "data-value": String(floats[i][j]),
          tabindex: chosen || (at.letter !== letter && i === 0 && j === 0) ? "0" : "-1",
          vars: { "--share": letter === "a" ? String(floats[i][j]) : "0" },
        });
      }));
      if (longest > SHORT) grid.style.setProperty("--wide", wide(longest - 1)); // its digits are smaller
      else grid.style.removeProperty("--wide");
    },
  };
}
