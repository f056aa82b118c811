// The cloud, the exact law and what is wanted, around values that can be dragged.

import { s, set } from "../../kit/dom.js";
import { percent } from "../../kit/numbers.js";

/** Return `draw({ values, noise, steered, names })` for a plane. */
export function drawing(field) {
  const line = s("line", { class: "regard-line-rival" });
  const rings = s("g");
  const cloud = s("g");
  const ellipse = s("polygon", { class: "regard-law" });
  const wanted = s("circle", { class: "regard-wanted-ring", r: 11 });
  const mean = s("path", { class: "regard-mean" });
  field.below.append(line, rings, ellipse);
  field.above.append(cloud, wanted, mean); // dots also where a value lies

  return ({ values, noise, steered, names }) => {
    const at = ([x, y]) => [field.x(x), field.y(y)];
    const size = field.size();
    const [a, b] = [at(values[0]), at(values[1])];
    set(line, { x1: a[0], y1: a[1], x2: b[0], y2: b[1] });

    while (cloud.childNodes.length > noise.draws.length) cloud.lastChild.remove();
    while (cloud.childNodes.length < noise.draws.length) cloud.append(s("circle", { r: 3.5 }));
    noise.draws.forEach((point, i) => {
      const [cx, cy] = at(point);
      const violet = noise.events[i] && !steered;
      set(cloud.childNodes[i], { cx, cy, class: `regard-dot-drawn ${violet ? "regard-tone-bad" : "regard-tone-query"}` });
    });

    const [mx, my] = at(noise.mean);
    const [first, second] = noise.axes;
    const around = Array.from({ length: 48 }, (_, i) => {
      const [c, d] = [Math.cos((i * Math.PI) / 24), Math.sin((i * Math.PI) / 24)];
      return at([noise.mean[0] + c * first[0] + d * second[0], noise.mean[1] + c * first[1] + d * second[1]]).join(",");
    });
    set(ellipse, { points: around.join(" ") });
    set(mean, { d: `M${mx - 7} ${my} h14 M${mx} ${my - 7} v14` });
    const [wx, wy] = at(noise.wanted);
    set(wanted, { cx: wx, cy: wy });

    const texts = values.map((value, i) => name(value, i));
    texts.push({ x: wx, y: wy - 18, kind: "regard-ahead", text: "wanted" });
    const limit = noise.limit ?? [];
    rings.replaceChildren(...limit.map(({ probability, output }) => {
      const [cx, cy] = at(output);
      if (probability < 0.995) texts.push({ x: cx, y: cy + 22 + 14 * Math.sqrt(probability), text: percent(probability) });
      return s("circle", { cx, cy, r: 8 + 14 * Math.sqrt(probability), class: "regard-limit" });
    }));
    field.labels.show(texts);

    function name(value, i) {
      const [x, y] = at(value);
      const side = x > size * 0.86 ? -1 : x < size * 0.14 ? 1 : x > size / 2 ? 1 : -1;
      return { name: names(i), x: x + 20 * side, y: y - 12, anchor: side > 0 ? "start" : "end", tone: i < 2 ? "regard-tone-target" : "" };
    }
  };
}
