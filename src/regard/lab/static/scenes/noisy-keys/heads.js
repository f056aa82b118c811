// Which heads: four kinds, each with how far its output is off, as a bar.

import { h, set, uid } from "../../kit/dom.js";
import { number } from "../../kit/numbers.js";

export const HEADS = [
  ["one", "One head"],
  ["two", "Two heads"],
  ["null_one", "One head, null-steered"],
  ["null_two", "Two heads, null-steered"],
];

/** Four radio buttons in a list of bars; `onchoose(name)`. */
export function headChoice(onchoose) {
  const group = uid("heads");
  const rows = HEADS.map(([name, title]) => {
    const radio = h("input", { type: "radio", name: group, onchange: () => onchoose(name) });
    const bar = h("span", { class: "regard-bar" });
    const value = h("span", { class: "regard-value" });
    const node = h("label", { class: "regard-head-row" }, radio, h("span", { text: title }), h("span", { class: "regard-track", "aria-hidden": "true" }, bar), value);
    return { name, radio, bar, value, node };
  });
  const node = h("fieldset", { class: "regard-plain" },
    h("legend", { class: "regard-label", text: "Heads, and how far their output is off" }), rows.map((row) => row.node));

  return {
    node,
    /** Show which kind is chosen. */
    set(chosen) {
      for (const { name, radio, node: row } of rows) {
        radio.checked = name === chosen;
        row.classList.toggle("regard-chosen-row", name === chosen);
      }
    },
    /** Show how far each is off; a full bar is half the way from v_a to v_b. */
    show(off, apart) {
      for (const { name, bar, value } of rows) {
        set(bar, { vars: { "--share": String(Math.min(1, apart > 0 ? (2 * off[name]) / apart : 0)) } });
        set(value, { text: number(off[name]), "data-value": String(off[name]) });
      }
    },
  };
}
