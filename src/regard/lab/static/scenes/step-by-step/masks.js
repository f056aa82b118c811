// Who may look at whom: causal order, a window, padding, and rows of 0 and 1. A key must pass all of them.

import { h } from "../../kit/dom.js";
import { matrixInput } from "../../kit/matrix.js";

/** Controls; `onmask(patch)` of is_causal, window, key_lengths and mask. */
export function maskOptions({ most, onmask, announce }) {
  let n = 1;
  const tick = (change) => {
    const box = h("input", { type: "checkbox" });
    box.addEventListener("change", () => change(box.checked));
    return box;
  };
  const count = (label, least, change) => {
    const input = h("input", { type: "number", min: least, max: most, step: 1, class: "regard-number", "aria-label": label });
    input.addEventListener("change", () => {
      input.value = Math.round(Math.min(most, Math.max(least, Number(input.value) || least)));
      change();
    });
    return input;
  };
  const causal = tick((on) => onmask({ is_causal: on }));
  const windowed = tick((on) => onmask({ window: on ? sides() : null }));
  const left = count("Keys before its own", 0, () => onmask({ window: sides() }));
  const right = count("Keys after its own", 0, () => onmask({ window: sides() }));
  const sides = () => [Number(left.value), Number(right.value)];
  const padded = tick((on) => onmask({ key_lengths: on ? Number(first.value) : null }));
  const first = count("Keys that count, from the first", 1, () => onmask({ key_lengths: Number(first.value) }));
  const own = tick((on) => onmask({ mask: on ? Array.from({ length: n }, () => Array(n).fill(1)) : null }));
  const rows = matrixInput({
    label: "Mask, a row for each query: 1 may look, 0 may not", most, announce, names: (i) => `query ${i + 1}`,
    onchange: (given) => {
      if (given.every((row) => row.every((x) => x === 0 || x === 1))) onmask({ mask: given });
      else announce("A mask has 1 where a query may look, and 0 where not.");
    },
  });
  const line = (box, text, ...more) => h("span", { class: "regard-choice" }, h("label", {}, box, h("span", { text })), more);
  const node = h("fieldset", { class: "regard-plain regard-masks" }, h("legend", { class: "regard-label", text: "Mask: who may look at whom" }),
    line(causal, "causal: itself and those before it"),
    line(windowed, "a window:", left, "before,", right, "after"),
    line(padded, "padding: only the first", first, "keys count"),
    line(own, "rows of 0 and 1"), rows.node);

  return {
    node,
    /** Show the masks of a state with n tokens. */
    set({ is_causal, window, key_lengths, mask }, tokens) {
      n = tokens;
      causal.checked = is_causal;
      windowed.checked = window !== null;
      padded.checked = key_lengths !== null;
      own.checked = mask !== null;
      const show = (input, value) => { if (document.activeElement !== input) input.value = value; };
      const [before, after] = window ?? [1, 0];
      show(left, before);
      show(right, after);
      show(first, key_lengths ?? Math.max(1, n - 1));
      rows.node.hidden = mask === null;
      if (mask) rows.set(mask);
    },
  };
}
