// Split two subspaces: the matrix that takes a value out of a mix, and the usual wrong ones.

import { choice } from "../kit/choice.js";
import { fill, h, s } from "../kit/dom.js";
import { spoken, words } from "../kit/math.js";
import { atMost, number, upTo } from "../kit/numbers.js";
import { plane } from "../kit/plane.js";
import { scene } from "../kit/scene.js";
import { aligned } from "../kit/table.js";
import { problemFile, pythonCode } from "./split-subspaces/copies.js";
import { drawing } from "./split-subspaces/drawing.js";
import { shareChoice } from "./split-subspaces/share.js";

const MATRICES = [
  ["separator", "M: along the line of vₜ"],
  ["onto_s", "Project onto vₛ"],
  ["off_t", "Drop the part along vₜ"],
  ["undivided", "M, share forgotten"],
  ["own", "The matrix of the answer"],
];
const RIGHT = 1e-9; // rounding stays below this in a plane of this size
const NAMES = ["v_s", "v_t"];

function build(view) {
  const { change } = view;
  const field = plane({
    label: "The two values in the plane. Arrow keys move them.",
    signal: view.signal,
    onhold: view.hold,
    onrelease: view.release,
    onmove: (i, at) => change(i === 0 ? { s: at } : { t: at }),
    onresize: view.redraw,
  });
  const draw = drawing(field);
  const chosen = choice({ label: "Matrix, and how far it misses v\u209b", options: MATRICES, onchoose: (matrix) => change({ matrix }) });
  const share = shareChoice((value) => change({ share: value }));
  const proof = h("div", { class: "regard-proof" });
  const entries = h("div", { class: "regard-matrix-shown" });

  view.picture.append(h("figure", { class: "regard-figure" }, field.svg,
    h("figcaption", {}, words("Drag a value; its line turns with it. Ring: what the matrix makes of $c$."))));
  view.numbers.append(chosen.node, share.node, entries, proof);

  return {
    controls(now) {
      chosen.offer("own", now.own !== null);
      chosen.set(now.matrix);
      share.set(now.share);
    },
    show({ state: now, found: { split } }) {
      const values = [now.s, now.t];
      draw({ values, split, matrix: now.matrix, right: right(now, split) });
      field.show(values.map((at, i) => ({
        at, r: 8, tone: i === 0 ? "regard-tone-target" : "regard-tone-key",
        label: `${spoken(NAMES[i])} at ${number(at[0])}, ${number(at[1])}`,
      })));
      chosen.show(split.off, 1);
      fill(entries, split.matrix, () => [h("p", { class: "regard-label", text: "Its entries" }),
        h("table", { class: "regard-entries-table" }, h("tbody", {}, aligned(split.matrix.map((row) => row.map((x) => number(tidy(x), 4))), (i, j) => String(split.matrix[i][j]))))]);
      proof.dataset.tone = right(now, split) ? "" : "bad";
      fill(proof, [split, now.matrix], () => h("p", {}, words(said(now, split))));
    },
    headline({ state: now, found: { split } }) {
      if (split.status === "impossible") return { tone: "bad", text: `**No matrix**${upToNorm(split)} takes $v_s$ out of this mix.` };
      if (!right(now, split)) return { tone: "bad", text: `This matrix misses $v_s$ by **${number(split.off[now.matrix])}**.` };
      return { tone: "target", text: "This matrix gives $v_s$ **back**." };
    },
    table: ({ state: now, found: { split } }) => ({
      caption: "The mix, what the matrix makes of it, and how far each matrix misses",
      columns: ["what", "x", "y"],
      rows: [
        ["$v_s$", ...now.s.map((x) => number(x, 4))],
        ["$v_t$", ...now.t.map((x) => number(x, 4))],
        ["the mix, $c$", ...split.mix.map((x) => number(tidy(x), 4))],
        ["the matrix times $c$", ...split.result.map((x) => number(tidy(x), 4))],
        ...MATRICES.filter(([name]) => name in split.off).map(([name, title]) => [`${title}: misses by`, number(tidy(split.off[name]), 4), name === now.matrix ? "shown" : ""]),
      ],
    }),
    python: ({ state: now }) => pythonCode(now),
    problem: ({ state: now }) => problemFile(now),
  };
}

/** What is zero but for rounding, as zero. */
function tidy(x) {
  return Math.abs(x) < 1e-12 ? 0 : x;
}

/** Whether the matrix that is shown gives v_s back: of the separator that is proved, of others seen. */
function right({ matrix }, split) {
  return split.status === "reached" && split.off[matrix] < RIGHT && (matrix !== "separator" || split.proved);
}

function upToNorm({ radius }) {
  return radius === null ? "" : ` of norm up to ${upTo(radius)}`;
}

function said(now, split) {
  if (!split.proved) return `Not proved. ${split.sentence}`;
  if (split.status === "impossible") return `**Proved:** $v_s$ and $v_t$ lie on one line. A matrix would have to keep that direction and to drop it.`;
  if (!now.t.some((part) => part)) return "$v_t$ is 0 and has no line: the mix has nothing but a share of $v_s$ in it.";
  const angle = `The lines are ${number(split.degrees)}° apart.`;
  if (now.matrix === "separator") return `**Proved,** up to rounding: $M$ gives back every $v_s$ on its line, whatever $v_t$ is on the other. ${angle} Errors in $c$ grow at most ${atMost(split.norm)} times, and no such matrix does better.`;
  if (right(now, split)) return `${angle} Here this matrix does what $M$ does.`;
  return `${angle} ${{ onto_s: "The part of $v_t$ along $v_s$ comes along.", off_t: "The part of $v_s$ along $v_t$ is lost, and what is left points elsewhere.", undivided: "What comes out is $v_s$ times its share in the mix.", own: "What comes out is not $v_s$." }[now.matrix]}`;
}

/** The small picture on the first page. */
function card() {
  return s("svg", { viewBox: "0 0 140 86" },
    s("line", { x1: 12, y1: 72, x2: 132, y2: 40, class: "regard-line-target" }),
    s("line", { x1: 30, y1: 84, x2: 62, y2: 4, class: "regard-line-rival" }),
    s("path", { d: "M86 30 L76 55", class: "regard-arrow" }),
    s("circle", { cx: 86, cy: 30, r: 5, class: "regard-point regard-tone-query" }),
    s("circle", { cx: 116, cy: 44, r: 7, class: "regard-point regard-tone-target" }),
    s("circle", { cx: 55, cy: 22, r: 5, class: "regard-point regard-tone-key" }));
}

const splitSubspaces = { ...scene(build), card };
export default splitSubspaces;
