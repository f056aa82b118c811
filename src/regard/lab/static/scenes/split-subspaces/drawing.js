// The two lines, the mix, and the way that a matrix takes it.

import { s, set } from "../../kit/dom.js";

/** Return `draw({ values, split, matrix, right })` for a plane. */
export function drawing(field) {
  const lines = [s("line", { class: "regard-line-target" }), s("line", { class: "regard-line-rival" })];
  const shafts = [s("line", { class: "regard-vector regard-tone-target" }), s("line", { class: "regard-vector regard-tone-key" })];
  const way = s("path", { class: "regard-way" });
  const mix = s("circle", { r: 7, class: "regard-point regard-tone-query" });
  const result = s("circle", { r: 13 });
  field.below.append(...lines, ...shafts);
  field.above.append(way, mix, result);

  return ({ values, split, matrix, right }) => {
    const at = ([x, y]) => [field.x(x), field.y(y)];
    const size = field.size();
    const origin = at([0, 0]);
    values.forEach((value, i) => {
      const [x, y] = at(value);
      const length = Math.hypot(x - origin[0], y - origin[1]) || 1;
      const [dx, dy] = [((x - origin[0]) / length) * 2 * size, ((y - origin[1]) / length) * 2 * size];
      set(lines[i], { x1: origin[0] - dx, y1: origin[1] - dy, x2: origin[0] + dx, y2: origin[1] + dy });
      set(shafts[i], { x1: origin[0], y1: origin[1], x2: x, y2: y });
    });
    const tone = right ? "regard-tone-target" : "regard-tone-bad";
    const [c, half, end] = [at(split.mix), at(matrix === "undivided" ? split.result : split.before), at(split.result)];
    set(way, { d: `M${c.join(" ")} L${half.join(" ")} L${end.join(" ")}`, class: `regard-way ${tone}` });
    set(mix, { cx: c[0], cy: c[1] });
    set(result, { cx: end[0], cy: end[1], class: `regard-result ${tone}` });
    const beside = ([x, y], name, more) => ({ name, x: x + (x > size * 0.85 ? -16 : 18), y: y - 12, anchor: x > size * 0.85 ? "end" : "start", ...more });
    field.labels.show([
      beside(at(values[0]), "v_s", { tone: "regard-tone-target", y: at(values[0])[1] + 28 }), beside(at(values[1]), "v_t", {}), beside(c, "c", { tone: "regard-tone-query" })]);
  };
}
