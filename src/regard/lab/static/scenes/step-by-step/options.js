// What can be chosen about the head: scale, mask, and the sizes of its matrices.

import { h, uid } from "../../kit/dom.js";
import { words } from "../../kit/math.js";
import { written } from "../../kit/matrix.js";
import { minus } from "../../kit/numbers.js";

const SIZES = [["n", "tokens"], ["d_model", "$d_{model}$"], ["d_k", "$d_k$"], ["d_v", "$d_v$"]];
const ROOT = "1/sqrt(d_k)";

/** Controls; `onscale(scale)`, `oncausal(true)`, `onsizes({n, d_model, d_k, d_v})`. */
export function headOptions({ most, onscale, oncausal, onsizes }) {
  const group = uid("scale");
  const root = h("input", { type: "radio", name: group, "aria-label": "1 divided by the root of d k", onchange: () => onscale(ROOT) });
  const other = h("input", { type: "radio", name: group, onchange: () => onscale("1") });
  const box = h("input", { type: "text", inputmode: "decimal", class: "regard-number", "aria-label": "Scale, as a number" });
  box.addEventListener("change", () => {
    const value = written(box.value);
    const good = value !== null && !/^\+|\/0*$/.test(String(value));
    box.setAttribute("aria-invalid", String(!good));
    if (good) onscale(String(value));
  });
  const causal = h("input", { type: "checkbox" });
  causal.addEventListener("change", () => oncausal(causal.checked));
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
        h("span", { class: "regard-choice" }, h("label", {}, other, h("span", { text: "a number" })), box))),
    h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label", text: "Mask" }),
      h("div", { class: "regard-choices" }, h("label", {}, causal, h("span", { text: "causal: a token sees itself and those before it" })))),
    h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label", text: "Sizes" }),
      h("div", { class: "regard-sizes" }, counts.map((one) => one.node))));

  return {
    node,
    /** Show the state, and the sizes of its matrices. */
    set({ scale, is_causal }, now) {
      sizes = now;
      root.checked = scale === ROOT;
      other.checked = scale !== ROOT;
      if (document.activeElement !== box) box.value = scale === ROOT ? "" : minus(String(scale));
      causal.checked = is_causal;
      for (const { name, input } of counts) if (document.activeElement !== input) input.value = now[name];
    },
  };
}
