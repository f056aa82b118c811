// A choice among a few, each with a bar that says how far it is off.

import { h, set, uid } from "./dom.js";
import { typeset } from "./math.js";
import { number } from "./numbers.js";

/** Radio buttons in a list of bars; `options` are [name, title], `onchoose(name)`. */
export function choice({ label, options, onchoose }) {
  const group = uid("choice");
  const rows = options.map(([name, title]) => {
    const radio = h("input", { type: "radio", name: group, onchange: () => onchoose(name) });
    const bar = h("span", { class: "regard-bar" });
    const value = h("span", { class: "regard-value" });
    const node = h("label", { class: "regard-choice-row" }, radio, h("span", { class: "regard-choice-name" }, typeset(title)), h("span", { class: "regard-track", "aria-hidden": "true" }, bar), value);
    return { name, radio, bar, value, node };
  });
  const node = h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label" }, typeset(label)), rows.map((row) => row.node));

  return {
    node,
    /** Show which one is chosen. */
    set(chosen) {
      for (const { name, radio, node: row } of rows) {
        radio.checked = name === chosen;
        row.classList.toggle("regard-chosen-row", name === chosen);
      }
    },
    /** Offer one of them, or not. */
    offer(name, offered) {
      rows.find((row) => row.name === name).node.hidden = !offered;
    },
    /** Show how far each is off, by its name; `full` is as long as a bar gets. */
    show(off, full) {
      for (const { name, bar, value } of rows.filter((row) => row.name in off)) {
        set(bar, { vars: { "--share": String(Math.min(1, full > 0 ? off[name] / full : 0)) } });
        set(value, { text: off[name] < 1e-12 ? "0" : number(off[name], 3, true), "data-value": String(off[name]) });
      }
    },
  };
}
