// The attention map: one small square for each weight, and a row that is read.

import { s, set } from "./dom.js";

/** The attention of every position (rows) on every other; `onrow(t)` when a row is chosen. */
export function attentionMap(onrow, label = "The position whose attention is read, t") {
  const aims = s("g", { class: "regard-aims regard-cells" });
  const cells = s("g", { class: "regard-cells" });
  const mark = s("rect", { class: "regard-row-mark regard-tone-query", x: 0, height: 1 });
  const svg = s("svg", { class: "regard-heat regard-heat-map", role: "slider", tabindex: "0", "aria-label": label, "aria-orientation": "vertical", "aria-valuemin": 0, preserveAspectRatio: "none" }, aims, cells, mark);
  let size = 0;
  let now = 0;

  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    onrow(Math.max(0, Math.min(size - 1, Math.floor(((event.clientY - box.top) / box.height) * size))));
  });
  svg.addEventListener("keydown", (event) => {
    const to = { ArrowDown: now + 1, ArrowRight: now + 1, ArrowUp: now - 1, ArrowLeft: now - 1, Home: 0, End: size - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onrow(Math.max(0, Math.min(size - 1, to)));
  });

  return {
    svg,
    /** Show weights; `wanted(t, τ)` says which are in the aim; `row` is the one that is read. */
    show(weights, wanted, row, key) {
      if (size !== weights.length) {
        size = weights.length;
        set(svg, { viewBox: `0 0 ${size} ${size}`, "aria-valuemax": size - 1 });
        cells.replaceChildren(...weights.flatMap((line, t) => line.map((_, j) => s("rect", { x: j, y: t, width: 1, height: 1 }))));
        set(mark, { width: size });
      }
      const largest = Math.max(...weights.map((line) => Math.max(...line)));
      weights.forEach((line, t) => line.forEach((weight, j) => set(cells.children[t * size + j], {
        "fill-opacity": Math.min(1, weight / largest).toFixed(3), "data-value": weight, class: wanted(t, j) ? "regard-tone-target" : null,
      })));
      if (aims.dataset.key !== key) {
        aims.dataset.key = key;
        aims.replaceChildren(...weights.flatMap((line, t) => line.flatMap((_, j) => (wanted(t, j) ? [s("rect", { x: j, y: t, width: 1, height: 1 })] : []))));
      }
      now = Math.min(row, size - 1);
      set(mark, { y: now });
      return largest;
    },
    say(text) {
      set(svg, { "aria-valuenow": now, "aria-valuetext": text });
    },
  };
}
