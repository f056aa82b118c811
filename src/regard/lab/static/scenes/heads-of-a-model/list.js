// The list of heads: a small map, the label, how striking; and which labels are shown.

import { fill, h, s, set } from "../../kit/dom.js";
import { percent } from "../../kit/numbers.js";

/** The list; `onhead(name)` when one is chosen, `onlabel(kind)` when only some are wanted. */
export function headList({ onhead, onlabel }) {
  const filters = h("div", { class: "regard-filters", role: "group", "aria-label": "Show heads of a label" });
  const list = h("ul", { class: "regard-heads" });
  const node = h("div", { class: "regard-field" }, h("p", { class: "regard-label", text: "Heads, the striking ones first" }), filters, list);
  let chips = [];
  let rows = [];

  function chip(kind, text) {
    const button = h("button", { type: "button", class: "regard-chip", text, onclick: () => onlabel(kind) });
    return { kind, button };
  }

  function row({ name, label, kind, strength, shades }, cells) {
    const drawn = s("svg", { viewBox: `0 0 ${cells} ${cells}`, class: "regard-thumb", "aria-hidden": "true" },
      shades.map((d, k) => s("path", { d, "stroke-opacity": (k + 1) / shades.length })));
    const bar = h("span", { class: "regard-bar", vars: { "--share": String(strength) } });
    const button = h("button", { type: "button", class: "regard-head-row", "data-head": name, onclick: () => onhead(name) },
      drawn, h("b", { text: name }), h("span", { text: label.replace("-", "−") }),
      h("span", { class: "regard-track", "aria-hidden": "true" }, bar), h("span", { class: "regard-value", text: strength > 0 ? percent(strength, 3, true) : "–", "data-value": strength }));
    return { name, kind, button, item: h("li", {}, button) };
  }

  return {
    node,
    /** Mark what is chosen, before the answer is there. */
    choose(label, head) {
      for (const { kind, button } of chips) set(button, { "aria-pressed": String(kind === label) });
      for (const one of rows) {
        one.item.hidden = label !== "all" && one.kind !== label;
        set(one.button, { "aria-pressed": String(one.name === head) });
      }
    },
    /** Show all heads of a model. */
    show({ heads, counts, cells, count }, label, head) {
      fill(filters, [counts, count], () => {
        chips = [chip("all", `all ${count}`), ...Object.entries(counts).map(([kind, many]) => chip(kind, `${kind} ${many}`))];
        return chips.map(({ button }) => button);
      });
      fill(list, heads, () => {
        rows = heads.map((one) => row(one, cells));
        return rows.map(({ item }) => item);
      });
      this.choose(label, head);
    },
  };
}
