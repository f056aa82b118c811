// The scores of k_a in the first head: how many draws fell where, how many were to be expected, and
// the event q·k_a < 0 in violet.

import { h, s, set } from "../../kit/dom.js";
import { formula } from "../../kit/math.js";
import { number, percent } from "../../kit/numbers.js";

const HEIGHT = 118;
const FLOOR = 92;

/** A figure; `show(noise, steered)` draws it anew. */
export function scoreHistogram(view) {
  const bars = s("g");
  const outline = s("path", { class: "regard-expected" });
  const zero = s("line", { class: "regard-zero" });
  const texts = s("g", { class: "regard-labels" });
  const svg = s("svg", { class: "regard-histogram", role: "img" }, bars, outline, zero, texts);
  const node = h("figure", { class: "regard-figure regard-scores" },
    h("figcaption", {}, "The score ", formula("q·k_a"), " of each draw; the line is the exact law."), svg);
  let last = null;

  function draw() {
    if (!last) return;
    const { scores: { edges, counts, expected }, event, steered } = last;
    const width = svg.getBoundingClientRect().width || 400;
    set(svg, { viewBox: `0 0 ${width} ${HEIGHT}`, "aria-label": `Histogram of the score of k a: ${number(event.mean)} with deviation ${number(event.deviation)}; below 0 with probability ${percent(event.probability)}` });
    const most = Math.max(...counts, ...expected, 1);
    const x = (i) => 12 + ((width - 24) * i) / counts.length;
    const y = (count) => FLOOR - ((FLOOR - 14) * count) / most;
    while (bars.childNodes.length < counts.length) bars.append(s("rect", { rx: 1.5 }));
    counts.forEach((count, i) => set(bars.childNodes[i], {
      x: x(i) + 1, y: y(count), width: Math.max(1, x(i + 1) - x(i) - 2), height: FLOOR - y(count),
      class: `regard-score-bar ${edges[i] < 0 && !steered ? "regard-tone-bad" : "regard-tone-query"}`, "data-value": String(count),
    }));
    set(outline, { d: expected.map((count, i) => `${i ? "L" : "M"}${x(i)} ${y(count)} L${x(i + 1)} ${y(count)}`).join(" ") });
    const origin = edges.findIndex((edge) => edge === 0);
    set(zero, { x1: x(origin), x2: x(origin), y1: 8, y2: FLOOR + 5 });
    const label = (i, text) => s("text", { x: x(i), y: FLOOR + 20, "text-anchor": i === 0 ? "start" : i === counts.length ? "end" : "middle", class: "regard-more-text", text });
    const marks = [label(origin, "0"), label(origin + 8, number(edges[origin + 8])), label(origin + 16, number(edges[origin + 16]))];
    if (!steered) marks.push(s("text", { x: x(origin) - 8, y: 22, "text-anchor": "end", class: "regard-event", text: percent(event.probability) }));
    texts.replaceChildren(...marks);
  }

  const watcher = new ResizeObserver(draw);
  watcher.observe(svg);
  view.signal.addEventListener("abort", () => watcher.disconnect());
  return {
    node,
    show(noise, steered) {
      last = { ...noise, steered };
      draw();
    },
  };
}
