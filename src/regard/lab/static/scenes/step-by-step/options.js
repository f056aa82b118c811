// What can be chosen about the head: scale, masks, and the sizes of its matrices.

import { h, uid } from "../../kit/dom.js";
import { words } from "../../kit/math.js";
import { written } from "../../kit/matrix.js";
import { minus } from "../../kit/numbers.js";
import { maskOptions } from "./masks.js";

const SIZES = [["n", "tokens"], ["d_model", "$d_{model}$"], ["d_k", "$d_k$"], ["d_v", "$d_v$"]];
const ROOT = "1/sqrt(d_k)";

/** Controls; `onscale(scale)`, `onmask(patch)`, `onsizes({n, d_model, d_k, d_v})`. */
export function headOptions({ most, onscale, onmask, onsizes, announce }) {
  const group = uid("scale");
  const radio = (label, scale) => h("input", { type: "radio", name: group, "aria-label": label, onchange: () => onscale(scale) });
  const root = radio("1 divided by the root of d k", ROOT);
  const one = radio("1, as it is", "1");
  const other = h("input", { type: "radio", name: group, onchange: () => { box.focus(); box.select(); } });
  const box = h("input", { type: "text", inputmode: "decimal", class: "regard-number", "aria-label": "Scale, as a number" });
  box.addEventListener("change", () => {
    const value = written(box.value);
    const good = value !== null && !/^\+|\/0*$/.test(String(value));
    box.setAttribute("aria-invalid", String(!good));
    if (good) onscale(String(value));
  });
  const masks = maskOptions({ most, onmask, announce });
  let sizes = {};
  const counts = SIZES.map(([name, shown]) => {
    const input = h("input", { type: "number", min: 1, max: most, step: 1, class: "regard-number", "aria-label": name === "n" ? shown : name.replace("_", " ") });
    input.addEventListener("change", () => {
      const value = Math.round(Math.min(most, Math.max(1, Number(input.value) || 1)));
      input.value = value;
      onsizes({ ...sizes, [name]: value });
    });
    return { name, input, node: h("label", {}, h("span", {}, words(shown)), input) };
  });
  const node = h("div", { class: "regard-options" },
    h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label", text: "Scale: what scores are multiplied by" }),
      h("div", { class: "regard-choices" },
        h("label", {}, root, h("span", {}, words("$1/√d_k$"))),
        h("label", {}, one, h("span", {}, words("$1$"))),
        h("span", { class: "regard-choice" }, h("label", {}, other, h("span", { text: "a number" })), box))),
    masks.node,
    h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label", text: "Sizes" }),
      h("div", { class: "regard-sizes" }, counts.map((count) => count.node))));

  return {
    node,
    /** Show the state, and the sizes of its matrices. */
    set(now, found) {
      sizes = found;
      root.checked = now.scale === ROOT;
      one.checked = now.scale === "1";
      other.checked = !root.checked && !one.checked;
      if (document.activeElement !== box) box.value = now.scale === ROOT ? "" : minus(String(now.scale));
      masks.set(now, found.n);
      for (const { name, input } of counts) if (document.activeElement !== input) input.value = found[name];
    },
  };
}
