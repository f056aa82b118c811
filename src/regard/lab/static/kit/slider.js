// A slider with a number beside it: whatever can be dragged can be typed.

import { h, uid } from "./dom.js";
import { typeset } from "./math.js";
import { number, readNumber } from "./numbers.js";

/**
 * A labelled slider. `onchange(value)` while it moves, between `onhold()` and `onrelease()`.
 * `log: true` gives equal ways to equal ratios. `marks` are [text, value] below the rail. `unit` is
 * what the number box counts in, in terms of the value: `{of: () => 10.9}` shows value × 10.9.
 */
export function slider({ label, min, max, log = false, step = null, marks = [], unit = null, onchange, onhold, onrelease }) {
  const id = uid("slider");
  const to = log ? Math.log2 : (x) => x;
  const back = log ? (x) => 2 ** x : (x) => x;
  const factor = () => (unit ? unit.of() : 1) || 1;
  const range = h("input", { type: "range", id, min: to(min), max: to(max), step: step ?? "any", class: "regard-range", "aria-label": label });
  const box = h("input", { type: "text", inputmode: "decimal", class: "regard-number", "aria-label": `${label}, as a number` });
  const place = (value) => (to(value) - to(min)) / (to(max) - to(min));
  const ticks = marks.map(([text, value]) => {
    const at = place(value);
    const side = at < 0.15 ? "start" : at > 0.9 ? "end" : "middle";
    return h("span", { class: `regard-mark regard-${side}`, text, vars: { "--at": String(at) } });
  });
  const node = h("div", { class: "regard-field" },
    h("label", { class: "regard-label", for: id }, typeset(label)),
    h("div", { class: "regard-slider" }, h("div", { class: "regard-rail" }, range, h("div", { class: "regard-marks", "aria-hidden": "true" }, ticks)), box));

  let last = min;
  const coarse = (to(max) - to(min)) / 24;
  range.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 4, PageDown: -4 }[event.key];
    if (!by || step !== null) return; // a whole step is the browser's own
    event.preventDefault();
    const at = Math.min(to(max), Math.max(to(min), Number(range.value) + by * coarse));
    onchange(Number(back(at).toPrecision(6)));
  });
  range.addEventListener("pointerdown", () => {
    onhold?.();
    // A pointer that was not moved changes nothing, and so there is no "change" to end with.
    const ended = new AbortController();
    for (const name of ["pointerup", "pointercancel"]) {
      window.addEventListener(name, () => { ended.abort(); onrelease?.(); }, { signal: ended.signal });
    }
  });
  range.addEventListener("input", () => onchange(Number(back(Number(range.value)).toPrecision(6))));
  range.addEventListener("change", () => onrelease?.());
  box.addEventListener("change", () => {
    const typed = readNumber(box.value);
    box.setAttribute("aria-invalid", String(typed === null));
    if (typed === null) return;
    const value = Math.min(max, Math.max(min, typed / factor()));
    if (value !== typed / factor()) box.value = number(value * factor(), 4); // the nearest that there is
    onchange(value);
  });
  box.addEventListener("blur", () => {
    if (box.getAttribute("aria-invalid") !== "true") return;
    box.setAttribute("aria-invalid", "false");
    box.value = number(last * factor(), 4);
  });

  return {
    node,
    /** Give the mark that was made with this text another one. */
    mark(made, text) {
      ticks[marks.findIndex(([name]) => name === made)].textContent = text;
    },
    /** Show a value; `text` is what the number says to those who listen. */
    set(value, text = "") {
      last = value;
      const at = to(Math.min(max, Math.max(min, value)));
      if (Number(range.value) !== at) range.value = at;
      range.style.setProperty("--at", String(place(Math.min(max, Math.max(min, value)))));
      const dead = unit?.of() === 0; // a multiple of 0: there is nothing to set
      range.disabled = box.disabled = dead;
      const shown = dead ? "0" : number(value * factor(), 4);
      range.setAttribute("aria-valuetext", text || shown);
      if (document.activeElement !== box) box.value = shown;
    },
  };
}
