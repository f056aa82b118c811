// The weights wanted of several keys, as numbers.

import { fill, h } from "../../kit/dom.js";
import { formula, spoken } from "../../kit/math.js";
import { readNumber } from "../../kit/numbers.js";

/** A row of percentages for the keys that are wanted; with one key there is nothing to choose. */
export function targetInput(onchange) {
  const row = h("div", { class: "regard-shares" });
  const node = h("div", { class: "regard-field regard-shares-field" }, h("p", { class: "regard-label", text: "Wanted, in percent" }), row);
  let target = [];

  function changed(i, text) {
    const typed = readNumber(text);
    if (typed === null || typed <= 0 || typed >= 100) return show();
    const rest = target.reduce((sum, share, j) => sum + (j === i ? 0 : share), 0);
    const left = 1 - typed / 100;
    onchange(target.map((share, j) => (j === i ? typed / 100 : (share / rest) * left)));
  }

  function show() {
    for (const input of row.querySelectorAll("input")) {
      if (document.activeElement !== input) input.value = String(Number((100 * target[input.dataset.key]).toPrecision(4)));
    }
  }

  return {
    node,
    set(next, names) {
      target = next;
      const chosen = next.flatMap((share, i) => (share > 0 ? [i] : []));
      node.hidden = chosen.length < 2;
      fill(row, chosen, () => chosen.map((i) => {
        const input = h("input", { type: "text", inputmode: "decimal", class: "regard-number", "data-key": i, "aria-label": `Wanted of ${spoken(names(i))}, in percent` });
        input.addEventListener("change", () => changed(i, input.value));
        return h("span", {}, formula(names(i)), input);
      }));
      show();
    },
  };
}
