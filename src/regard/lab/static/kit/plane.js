// A plane with points that can be dragged, or moved with the arrow keys. Pixels are real ones, so that
// text never shrinks: the viewBox follows the size of the element.

import { s, set } from "./dom.js";
import { letter } from "./math.js";

const CLICK = 4; // px that a pointer may move and still have clicked
const STEP = 0.1;

/** Pixels around the plane in which its lines go on. */
export const MARGIN = 8;

/**
 * A square picture of [−reach, reach]². Layers, from below: `plane.below`, the points, `plane.above`,
 * the texts: `plane.labels.show(…)`, see `textLayer`. `onmove(i, [x, y])` between `onhold(i)` and `onrelease(i)`; `onpick(i, more)` when a
 * point is clicked (`more`: with Shift); `ondelete(i)`; `onresize()` when all must be drawn again.
 */
export function plane({ label, reach = 2, digits = 2, onmove, onhold, onrelease, onpick, ondelete, onresize, signal }) {
  const grid = s("g", { class: "regard-gridlines", "aria-hidden": "true" });
  const below = s("g", { "aria-hidden": "true" });
  const marks = s("g");
  const above = s("g", { "aria-hidden": "true", "pointer-events": "none" });
  const labelled = s("g", { class: "regard-labels", "aria-hidden": "true", "pointer-events": "none" });
  const svg = s("svg", { class: "regard-plane", role: "group", "aria-label": label }, grid, below, marks, above, labelled);
  const points = [];
  let size = 400;

  const x = (value) => ((value + reach) / (2 * reach)) * size;
  const y = (value) => ((reach - value) / (2 * reach)) * size;
  const round = (value) => Number(Math.max(-reach, Math.min(reach, value)).toFixed(digits));

  function located(event) {
    const box = svg.getBoundingClientRect();
    const unit = (2 * reach) / box.width;
    return [(event.clientX - box.left) * unit - reach, reach - (event.clientY - box.top) * unit];
  }

  function point(i) {
    const halo = s("circle", { class: "regard-halo", r: 22 });
    const dot = s("circle", { class: "regard-point" });
    const node = s("g", { class: "regard-handle", tabindex: "0", role: "button" }, halo, dot);
    let begun = null;
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      node.setPointerCapture(event.pointerId);
      const [px, py] = located(event);
      begun = { event, moved: false, dx: points[i].at[0] - px, dy: points[i].at[1] - py };
    });
    node.addEventListener("pointermove", (event) => {
      if (!begun) return;
      const far = Math.hypot(event.clientX - begun.event.clientX, event.clientY - begun.event.clientY);
      if (!begun.moved && far < CLICK) return;
      if (!begun.moved) onhold?.(i);
      begun.moved = true;
      node.classList.add("regard-held");
      const [px, py] = located(event);
      const to = [round(px + begun.dx), round(py + begun.dy)];
      put(i, to); // the held mark at once, the rest when the answer comes
      onmove(i, to);
    });
    const end = (event) => {
      if (!begun) return;
      const { moved } = begun;
      begun = null;
      node.classList.remove("regard-held");
      if (moved) onrelease?.(i);
      else if (event.type === "pointerup") onpick?.(i, event.shiftKey);
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
    node.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (by) {
        const step = event.shiftKey ? STEP / 10 : STEP;
        const to = [round(points[i].at[0] + by[0] * step), round(points[i].at[1] + by[1] * step)];
        put(i, to);
        onmove(i, to);
      } else if (event.key === "Enter" || event.key === " ") onpick?.(i, event.shiftKey);
      else if (event.key === "Delete" || event.key === "Backspace") ondelete?.(i);
      else return;
      event.preventDefault();
    });
    return { node, dot, halo, at: [0, 0], held: () => begun?.moved };
  }

  function put(i, at) {
    points[i].at = at;
    const move = { cx: x(at[0]), cy: y(at[1]) };
    set(points[i].dot, move);
    set(points[i].halo, move);
  }

  function resize() {
    const width = svg.getBoundingClientRect().width;
    if (!width || Math.abs(width - size) < 0.5) return;
    size = width;
    draw();
    onresize?.();
  }

  function draw() {
    set(svg, { viewBox: `0 0 ${size} ${size}` });
    const lines = [];
    for (let at = -reach + 0.5; at < reach; at += 0.5) {
      lines.push(s("line", { x1: x(at), x2: x(at), y1: -MARGIN, y2: size + MARGIN }), s("line", { x1: -MARGIN, x2: size + MARGIN, y1: y(at), y2: y(at) }));
    }
    grid.replaceChildren(...lines);
    points.forEach((one, i) => put(i, one.at));
  }

  const watcher = new ResizeObserver(resize);
  watcher.observe(svg);
  signal?.addEventListener("abort", () => watcher.disconnect());
  draw();

  return {
    svg, below, above, labels: textLayer(labelled), x, y,
    size: () => size,
    /** Show the points: for each `at`, `r` in pixels, `tone` (a class) and `label` (what is said). */
    show(given) {
      while (points.length > given.length) points.pop().node.remove();
      while (points.length < given.length) {
        const one = point(points.length);
        points.push(one);
        marks.append(one.node);
      }
      given.forEach(({ at, r, tone, label: said, pressed }, i) => {
        if (!points[i].held()) put(i, at);
        set(points[i].dot, { r, class: `regard-point ${tone}` });
        set(points[i].halo, { r: Math.max(22, r + 8) });
        set(points[i].node, { "aria-label": said, "aria-pressed": pressed === undefined ? null : String(pressed) });
      });
    },
  };
}

/**
 * Names and other short texts on a plane: `show([{ name | text, x, y, anchor, tone, kind, more }])`. A text that
 * stays the same is only moved: laying out text anew is what costs most while something is dragged.
 */
export function textLayer(layer) {
  let kept = [];
  return {
    show(given) {
      const free = {}; // nodes that are there, by what they say: several may say the same
      for (const { key, node } of kept) (free[key] ??= []).push(node);
      kept = given.map((one) => {
        const key = JSON.stringify([one.name, one.text, one.anchor, one.tone, one.kind, one.more]);
        const node = free[key]?.pop() ?? written(one);
        set(node, { transform: `translate(${one.x.toFixed(1)} ${one.y.toFixed(1)})` });
        return { key, node };
      });
      for (const node of Object.values(free).flat()) node.remove();
      for (const { node } of kept) if (node.parentNode !== layer) layer.append(node);
    },
  };
}

function written({ name, text, anchor = "middle", tone = "", kind = "regard-more-text", more = "" }) {
  if (name === undefined) return s("text", { "text-anchor": anchor, class: `${kind} ${tone}`, text });
  const { base, below } = letter(name);
  const node = s("text", { "text-anchor": anchor, class: `regard-name ${tone}` }, s("tspan", { class: "regard-math", text: base }));
  if (below) node.append(s("tspan", { class: "regard-math regard-sub", dy: "0.3em", text: below }));
  if (more) node.append(s("tspan", { class: "regard-more-text", dy: below ? "-0.2em" : 0, dx: 4, text: more }));
  return node;
}
