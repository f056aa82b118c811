// How much weight lies at each distance, with the window around the highest.

import { s, set, widthOf } from "../../kit/dom.js";
import { number, percent } from "../../kit/numbers.js";

const HEIGHT = 116;
const FOOT = 22;
const HEAD = 18;

/** Bars by distance; nothing to drag. */
export function shiftBars({ onresize, signal }) {
  const bars = s("g", { class: "regard-shift-bars" });
  const texts = s("g", {});
  const svg = s("svg", { class: "regard-shifts", role: "img" }, bars, texts);
  const box = widthOf(svg, 560, { onresize, signal });

  return {
    svg,
    /** Show the weight of each shift; those of the window are orange. */
    show({ shifts, weight, window: inside }) {
      const { width } = box;
      const most = Math.max(...weight);
      const top = shifts[weight.indexOf(most)];
      const step = width / shifts.length;
      const floor = HEIGHT - FOOT;
      const tall = (w) => Math.max(1, (w / (most || 1)) * (floor - HEAD));
      const place = (i) => (shifts.length - 1 - i) * step; // earlier keys stand on the left, as in the map
      set(svg, { viewBox: `0 0 ${width} ${HEIGHT}`, "aria-label": `Mean weight by distance, from ${number(shifts[0])} to ${number(shifts.at(-1))}: largest at ${number(top)}, ${percent(most)}` });
      bars.replaceChildren(...shifts.map((shift, i) => s("rect", { x: place(i) + step * 0.15, width: step * 0.7, y: floor - tall(weight[i]), height: tall(weight[i]), class: inside.includes(shift) ? "regard-tone-target" : "regard-tone-key", "data-shift": shift, "data-value": weight[i] })));
      const at = shifts.indexOf(top);
      const x = Math.min(width - 24, Math.max(24, place(at) + step / 2));
      const every = [2, 4, 8, 16].find((one) => one * step > 32) ?? 32;
      texts.replaceChildren(
        s("text", { x, y: Math.max(12, floor - tall(most) - 6), "text-anchor": "middle", class: `regard-ahead ${inside.includes(top) ? "" : "regard-tone-key"}`, text: percent(most) }),
        ...shifts.flatMap((shift, i) => (shift % every === 0 ? [s("text", { x: Math.min(width - 5, place(i) + step / 2), y: HEIGHT - 5, "text-anchor": "middle", text: number(shift) })] : [])));
    },
  };
}
