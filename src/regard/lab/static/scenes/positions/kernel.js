// The kernel: how a key scores by its distance from the query. Earlier keys stand on the left.

import { s, set, widthOf } from "../../kit/dom.js";
import { number } from "../../kit/numbers.js";

const HEIGHT = 152;
const FOOT = 22; // below the curve, for the numbers
const HEAD = 22;

/** The curve; `ondrag(T)` while the window is dragged. */
export function kernelPlot({ ondrag, onhold, onrelease, onresize, signal }) {
  const window_ = s("rect", { class: "regard-kernel-window", y: 0, height: HEIGHT - FOOT, rx: 3 });
  const here = s("line", { class: "regard-kernel-zero", y1: 0, y2: HEIGHT - FOOT });
  const low = s("line", { class: "regard-line-target" });
  const high = s("line", { class: "regard-line-rival" });
  const line = s("polyline", { class: "regard-kernel-line" });
  const dots = s("g", { class: "regard-kernel-dots" });
  const texts = s("g", {});
  const svg = s("svg", { class: "regard-kernel", role: "img" }, window_, here, high, low, line, dots, texts);
  const drawn = widthOf(svg, 560, { onresize, signal });
  let reach = 1;
  let held = false;

  const x = (shift) => drawn.width / 2 - (shift / (reach + 1)) * (drawn.width / 2);
  function move(event) {
    if (!held) return;
    const box = svg.getBoundingClientRect();
    ondrag(Math.round(((box.left + box.width / 2 - event.clientX) / (box.width / 2)) * (reach + 1)));
  }
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    held = true;
    onhold();
    move(event);
  });
  svg.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, () => {
      if (held) onrelease();
      held = false;
    });
  }

  return {
    svg,
    /** Show the scores of all shifts; `half` is B/2, `good` whether the window is ahead. */
    show({ shifts, kernel, gap, rival }, T, half, good) {
      const { width } = drawn;
      reach = shifts.at(-1);
      const inside = (shift) => Math.abs(shift - T) <= half;
      const [least, most] = [Math.min(...kernel), Math.max(...kernel)];
      const y = (score) => HEAD + (1 - (score - least) / (most - least || 1)) * (HEIGHT - FOOT - HEAD - 8);
      const step = width / 2 / (reach + 1);
      set(svg, { viewBox: `0 0 ${width} ${HEIGHT}`, "aria-label": `Score by distance: highest ${number(most)}; the window leads by ${number(gap)}` });
      set(window_, { x: x(T + half) - step / 2, width: step * (2 * half + 1) });
      set(here, { x1: x(0), x2: x(0) });
      set(line, { points: shifts.map((shift, i) => `${x(shift).toFixed(2)},${y(kernel[i]).toFixed(2)}`).join(" ") });
      dots.replaceChildren(...shifts.map((shift, i) => s("circle", { cx: x(shift), cy: y(kernel[i]), r: inside(shift) ? 3.5 : 2, class: inside(shift) ? "regard-tone-target" : "", "data-value": kernel[i] })));
      const lowest = Math.min(...kernel.filter((_, i) => inside(shifts[i])));
      const other = kernel[shifts.indexOf(rival)] ?? null; // the runner-up may be further away than any key
      for (const node of [low, high]) set(node, { x1: 0, x2: width, visibility: other === null ? "hidden" : "visible" });
      set(low, { y1: y(lowest), y2: y(lowest) });
      if (other !== null) set(high, { y1: y(other), y2: y(other) });
      const left = T >= 0; // the words stand on the side where the window is not
      const lead = s("text", { x: left ? width - 4 : 4, y: Math.max(13, y(lowest) - 6), "text-anchor": left ? "end" : "start", class: `regard-ahead ${good ? "" : "regard-tone-bad"}`, text: good ? `ahead by ${number(gap)}` : `behind by ${number(-gap)}` });
      texts.replaceChildren(...(other === null ? [] : [lead]), ...ticks(width));
    },
  };

  function ticks(wide) {
    const room = wide / 2 / (reach + 1); // from one shift to the next
    const every = [5, 10, 20, 50].find((one) => one * room >= 30) ?? 100;
    const at = [];
    for (let shift = -reach; shift <= reach; shift += 1) if (shift % every === 0) at.push(shift);
    return at.map((shift) => s("text", { x: x(shift), y: HEIGHT - 5, "text-anchor": "middle", text: String(Math.abs(shift)) }));
  }
}
