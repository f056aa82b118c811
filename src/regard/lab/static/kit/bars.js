// Weights as bars: the name chooses what is wanted, a line marks how much.

import { h, set } from "./dom.js";
import { formula, spoken } from "./math.js";
import { percent } from "./numbers.js";

/** Rows of name, bar and percentage. `onpick(i)` when a name is pressed; without it names are text. */
export function bars({ label, onpick = null }) {
  const list = h("ul", { class: "regard-bars" });
  const node = h("div", { class: "regard-field" }, h("p", { class: "regard-label", text: label }), list);
  const rows = [];

  function row(i, name) {
    const button = onpick
      ? h("button", { type: "button", class: "regard-pick", onclick: () => onpick(i) }, formula(name))
      : h("span", { class: "regard-pick" }, formula(name));
    const bar = h("span", { class: "regard-bar" });
    const mark = h("span", { class: "regard-wanted" });
    const value = h("span", { class: "regard-value" });
    const item = h("li", {}, button, h("span", { class: "regard-track", "aria-hidden": "true" }, bar, mark), value);
    return { item, button, bar, mark, value };
  }

  return {
    node,
    /** Show rows of `name`, `weight`, `wanted` (a share, or 0), `tone` (a class). */
    show(given) {
      list.classList.toggle("regard-many", given.length > 12);
      while (rows.length > given.length) rows.pop().item.remove();
      given.forEach(({ name, weight, wanted = 0, tone = "" }, i) => {
        if (!rows[i]) {
          rows[i] = row(i, name);
          list.append(rows[i].item);
        }
        const { item, button, bar, mark, value } = rows[i];
        set(item, { class: tone });
        set(bar, { vars: { "--share": String(weight) } });
        set(mark, { vars: { "--share": String(wanted) }, hidden: wanted === 0 || wanted === 1 });
        set(value, { text: percent(weight, 3, true) });
        if (onpick) set(button, { "aria-pressed": String(wanted > 0), "aria-label": `Look at ${spoken(name)}` });
      });
    },
  };
}
