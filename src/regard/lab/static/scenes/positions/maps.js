// The embedding, one small square for each number, and a row of the map in words.

import { h, s, set } from "../../kit/dom.js";
import { percent } from "../../kit/numbers.js";

/** The rows of waves, with the waves that the head does not use faded, and how strong each is. */
export function waves() {
  const cells = s("g", { class: "regard-cells" });
  const faded = s("g", { class: "regard-faded" });
  const query = s("rect", { class: "regard-row-mark regard-tone-query", x: 0, height: 1 });
  const key = s("rect", { class: "regard-row-mark regard-tone-target", x: 0, height: 1 });
  const svg = s("svg", { class: "regard-heat regard-heat-waves", role: "img", preserveAspectRatio: "none" }, cells, faded, key, query);
  const strip = s("svg", { class: "regard-strip", role: "img", preserveAspectRatio: "none" });
  const node = h("div", {}, svg, strip);
  let drawn = "";

  return {
    node,
    show(embedding, { blocks, kept }, row, aim) {
      const [n, d] = [embedding.length, embedding[0].length];
      if (drawn !== `${n} ${d}`) {
        drawn = `${n} ${d}`;
        set(svg, { viewBox: `0 0 ${d} ${n}`, "aria-label": `The embedding: ${n} positions, ${d} numbers each, a sine and a cosine for each of ${d / 2} frequencies` });
        cells.replaceChildren(...embedding.flatMap((line, t) => line.map((value, i) => s("rect", { x: i, y: t, width: 1, height: 1, "fill-opacity": ((value + 1) / 2).toFixed(3) }))));
      }
      const used = new Set(kept);
      faded.replaceChildren(...blocks.flatMap((_, i) => (used.has(i) ? [] : [s("rect", { x: 2 * i, y: 0, width: 2, height: n })])));
      const most = Math.max(...blocks);
      set(strip, { viewBox: `0 0 ${d} 1`, "aria-label": `How strong each block is: ${kept.length} of ${blocks.length} are kept` });
      strip.replaceChildren(...blocks.map((size, i) => {
        const height = most > 0 ? size / most : 0;
        return s("rect", { x: 2 * i + 0.2, width: 1.6, y: 1 - height, height, "data-value": size });
      }));
      set(query, { y: row, width: d });
      set(key, { y: Math.max(0, aim), width: d, visibility: aim >= 0 && aim < n ? "visible" : "hidden" });
    },
  };
}

/** What the chosen row says, in words. */
export function rowWords(t, share, where) {
  return share < 0 ? `Position ${t}: its aim lies outside.` : `Position ${t}: ${percent(share)} of its attention is where it should be, ${where}.`;
}
