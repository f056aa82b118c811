// What is drawn around the keys: the hull, the query that is shown, how far the winner is ahead, or the average
// that makes it impossible. Numbers come from the engine; here they only become lines.

import { s, set, uid } from "../../kit/dom.js";
import { number, percent } from "../../kit/numbers.js";
import { MARGIN } from "../../kit/plane.js";

const FEW = 12; // lines that are dotted; more would be noise, and dots take long to draw

/** Return `draw({ keys, target, design, factor, own, names })` for a plane; `own`: the query was given. */
export function drawing(field) {
  const gradient = uid("glow");
  const stops = [s("stop", { offset: 0, class: "regard-glow-none" }), s("stop", { offset: 1, class: "regard-glow" })];
  const ramp = s("linearGradient", { id: gradient, gradientUnits: "userSpaceOnUse" }, stops);
  const glow = s("rect", { x: -MARGIN, y: -MARGIN, fill: `url(#${gradient})` });
  const hull = s("polygon", { class: "regard-hull" });
  const spokes = s("g", { class: "regard-spokes" });
  const winner = s("line", { class: "regard-line-target" });
  const rival = s("line", { class: "regard-line-rival" });
  const gap = s("line", { class: "regard-gap" });
  const shaft = s("line", { class: "regard-arrow" });
  const tip = s("path", { class: "regard-arrow-tip" });
  const root = s("circle", { class: "regard-arrow-tip", r: 3.5 });
  field.below.append(s("defs", {}, ramp), glow, hull, spokes, winner, rival, gap);
  field.above.append(shaft, tip, root);

  return ({ keys, target, design, factor, own, names }) => {
    const at = (key) => [field.x(key[0]), field.y(key[1])];
    const size = field.size();
    const impossible = design.status === "impossible";
    const [qx, qy] = design.shown.query;
    const length = Math.hypot(qx, qy);
    const along = length > 0 ? [qx / length, -qy / length] : null; // on the screen, y grows downwards
    const texts = [];

    set(hull, { points: (design.hull ?? []).map((i) => at(keys[i]).join(",")).join(" "), class: impossible ? "regard-hull regard-tone-bad" : "regard-hull" });
    const chosen = target.findIndex((share) => share > 0);
    const ends = impossible && design.average ? design.average.flatMap((share, i) => (share < 5e-4 ? [] : [at(keys[i])])) : [];
    while (spokes.childNodes.length > ends.length) spokes.lastChild.remove();
    while (spokes.childNodes.length < ends.length) spokes.append(s("line"));
    const hub = at(keys[Math.max(chosen, 0)]);
    ends.forEach(([x2, y2], i) => set(spokes.childNodes[i], { x1: hub[0], y1: hub[1], x2, y2 }));
    set(spokes, { class: ends.length > FEW ? "regard-spokes regard-many" : "regard-spokes" });

    const drawn = (own || !impossible) && along !== null;
    for (const node of [glow, shaft, tip, root]) set(node, { visibility: drawn ? "visible" : "hidden" });
    const compared = drawn && design.ahead !== null && design.ahead.by > 0;
    for (const node of [winner, rival, gap]) set(node, { visibility: compared ? "visible" : "hidden" });
    const q = drawn ? arrow(along, factor, size) : null;
    if (drawn) texts.push({ name: "q", x: q.x, y: q.y, tone: "regard-tone-query" });
    if (compared) texts.push(...ahead(along, size, at));
    field.labels.show([...texts, ...labels(keys, target, design, names, size, at, impossible, q)]);

    function arrow(direction, times, side) {
      const reach = side * (0.07 + 0.035 * (Math.log2(Math.max(times, 1 / 16)) + 4)); // longer with the slider
      const [x0, y0] = [side / 2, side / 2];
      const [x1, y1] = [x0 + direction[0] * reach, y0 + direction[1] * reach];
      const [nx, ny] = [-direction[1], direction[0]];
      const foot = [x1 - direction[0] * 16, y1 - direction[1] * 16];
      set(root, { cx: x0, cy: y0 });
      set(shaft, { x1: x0, y1: y0, x2: foot[0], y2: foot[1] });
      set(tip, { d: `M${x1} ${y1} L${foot[0] + nx * 6} ${foot[1] + ny * 6} L${foot[0] - nx * 6} ${foot[1] - ny * 6} Z` });
      const far = side * 0.75;
      set(ramp, { x1: x0 - direction[0] * far * 0.6, y1: y0 - direction[1] * far * 0.6, x2: x0 + direction[0] * far, y2: y0 + direction[1] * far });
      set(glow, { width: side + 2 * MARGIN, height: side + 2 * MARGIN });
      // The name stands on the side of the arrow where no key is near.
      const sides = [1, -1].map((side_) => {
        const [x, y] = [x0 + direction[0] * reach * 0.6 + nx * 20 * side_, y0 + direction[1] * reach * 0.6 + ny * 20 * side_];
        const room = Math.min(60, ...keys.map((key) => Math.hypot(at(key)[0] - x, at(key)[1] - y)));
        return { x, y: y + 5, room: room + (ny * side_ > 0 ? 1 : 0), normal: [nx * side_, ny * side_] };
      });
      return sides[0].room >= sides[1].room ? sides[0] : sides[1];
    }

    function ahead(direction, side, place) {
      const [first, second] = [design.ahead.last, design.ahead.rival].map((i) => place(keys[i]));
      const n = [-direction[1], direction[0]];
      across(winner, first, n, side);
      across(rival, second, n, side);
      // The bar between both lines stands where both ends and its words are inside the plane.
      const gapLength = (first[0] - second[0]) * direction[0] + (first[1] - second[1]) * direction[1];
      const inside = ([px, py]) => px > 46 && px < side - 46 && py > 30 && py < side - 40;
      const places = [];
      for (let t = -side; t <= side; t += 6) {
        const from = [second[0] + n[0] * t, second[1] + n[1] * t];
        const to = [from[0] + direction[0] * gapLength, from[1] + direction[1] * gapLength];
        if (!inside(from) || !inside(to)) continue;
        const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
        const near = Math.min(...keys.map((key) => Math.hypot(place(key)[0] - middle[0], place(key)[1] - middle[1])), Math.hypot(side / 2 - middle[0], side / 2 - middle[1]));
        places.push({ from, to, middle, room: Math.min(near, 90) });
      }
      const best = places.sort((a, b) => b.room - a.room)[0];
      set(gap, { visibility: best && side > 300 ? "visible" : "hidden" });
      if (!best || side <= 300) return [];
      set(gap, { x1: best.from[0], y1: best.from[1], x2: best.to[0], y2: best.to[1] });
      const up = n[1] <= 0 ? 1 : -1; // beside the bar, as far as half the words are wide
      const off = 10 + 42 * Math.abs(n[0]);
      const x = Math.max(52, Math.min(side - 52, best.middle[0] + n[0] * up * off));
      return [{ x, y: best.middle[1] + n[1] * up * off + 4 * Math.abs(n[0]), kind: "regard-ahead", text: `ahead by ${number(design.ahead.by)}` }];
    }
  };
}

/** A line through a point, across the whole plane. */
function across(line, [px, py], [nx, ny], side) {
  set(line, { x1: px - nx * 2 * side, y1: py - ny * 2 * side, x2: px + nx * 2 * side, y2: py + ny * 2 * side });
}

/** A name in one piece of text: "k₂". */
function spelled(name) {
  return name.replace(/_(\d+)/, (_, digits) => [...digits].map((one) => "₀₁₂₃₄₅₆₇₈₉"[one]).join(""));
}

/** The names of the keys, outward; with many keys only those on the hull and those wanted. */
function labels(keys, target, design, names, side, at, impossible, q) {
  const centre = [side / 2, side / 2];
  const few = keys.length <= 12;
  const corners = new Set(design.hull ?? []);
  return keys.flatMap((key, i) => {
    if (!few && !corners.has(i) && target[i] === 0) return [];
    const [px, py] = at(key);
    const same = keys.flatMap((other, j) => (other[0] === key[0] && other[1] === key[1] ? [j] : []));
    if (same[0] !== i) return []; // one name for all that stand there
    const r = 5.5 + 15 * Math.sqrt(design.shown.weights[i]);
    let [dx, dy] = [px - centre[0], py - centre[1]];
    const away = Math.hypot(dx, dy) || 1;
    [dx, dy] = away < side * 0.12 ? [0.6, -0.8] : [dx / away, dy / away];
    if (q && away < side * 0.12) [dx, dy] = q.normal.map((part) => -part); // away from the arrow's name
    const weight = design.shown.weights[i];
    let more = side > 480 && weight >= 0.005 && few ? percent(weight, 3) : "";
    if (more && Math.abs(dx) > 0.35 && Math.min(px, side - px) < r + 96) more = ""; // the name outside says more than the number
    if (same.length > 1) more = `= ${same.slice(1).map((j) => spelled(names(j))).join(" = ")}${more ? `  ${more}` : ""}`;
    let anchor = dx > 0.35 ? "start" : dx < -0.35 ? "end" : "middle";
    let [x, y] = [px + dx * (r + 11), py + dy * (r + 13) + 5];
    const room = 30 + (more ? 52 : 0);
    if ((anchor === "start" && x > side - room) || (anchor === "end" && x < room)) { // above or below, not inward
      anchor = more ? (anchor === "start" ? "end" : "start") : "middle";
      x = more ? Math.max(8, Math.min(side - 8, px + (anchor === "end" ? r : -r))) : Math.max(18, Math.min(side - 18, px));
      y = py - r - 10 > 22 ? py - r - 10 : py + r + 22;
    }
    y = Math.max(18, Math.min(side - 10, y));
    return [{ name: names(i), x, y, anchor, more, tone: impossible && target[i] > 0 ? "regard-tone-bad" : "" }];
  });
}
