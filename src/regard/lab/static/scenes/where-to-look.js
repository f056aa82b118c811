// Where to look: keys in the plane, and the query that looks at those chosen, or why there is none.

import { bars } from "../kit/bars.js";
import { fill, h, s } from "../kit/dom.js";
import { spoken, words } from "../kit/math.js";
import { matrixInput } from "../kit/matrix.js";
import { atMost, number, percent, percentDown, percentUp, upTo } from "../kit/numbers.js";
import { plane } from "../kit/plane.js";
import { scene } from "../kit/scene.js";
import { slider } from "../kit/slider.js";
import { drawing } from "./where-to-look/drawing.js";
import { problemFile, pythonCode } from "./where-to-look/copies.js";
import { targetInput } from "./where-to-look/target.js";

const AS_DESIGNED = "as designed";
const FEW = 8; // keys of an average that are named one by one
const NAMES = (i) => `k_${i + 1}`;

/** Names as they stand in a sentence: "k_1, k_2 and k_3". */
function listed(texts) {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}

function wantedOf(target) {
  return target.flatMap((share, i) => (share > 0 ? [i] : []));
}

function build(view) {
  const { change, state } = view;
  const alone = (i) => state().keys.map((_, j) => (i === j ? 1 : 0));

  function pick(i, more) {
    const { target } = state();
    if (!more) return change({ target: alone(i) });
    const chosen = new Set(wantedOf(target));
    if (!chosen.delete(i)) chosen.add(i);
    if (chosen.size) change({ target: target.map((_, j) => (chosen.has(j) ? 1 / chosen.size : 0)) });
  }

  function remove(i) {
    const { keys, target } = state();
    if (keys.length < 2) return;
    const left = target.filter((_, j) => j !== i);
    const total = left.reduce((sum, share) => sum + share, 0);
    const next = total > 0 ? left.map((share) => share / total) : left.map((_, j) => (j === 0 ? 1 : 0));
    change({ keys: keys.filter((_, j) => j !== i), target: next });
  }

  function setKeys(keys) {
    const { target } = state();
    if (keys[0].length !== 2) return view.announce("Keys in the plane have two numbers each.");
    const same = keys.length === target.length;
    change({ keys, target: same ? target : keys.map((_, i) => (i === 0 ? 1 : 0)) });
  }

  const field = plane({
    label: "Keys in the plane. Arrow keys move a key, Enter looks at it, Shift and Enter adds it, Delete removes it.",
    signal: view.signal,
    onhold: view.hold,
    onrelease: view.release,
    onmove: (i, at) => change({ keys: state().keys.map((key, j) => (i === j ? at : key)) }),
    onpick: pick,
    ondelete: remove,
    onresize: view.redraw,
  });
  const draw = drawing(field);
  const weights = bars({ label: "Weights", onpick: (i) => pick(i, true) });
  const shares = targetInput((target) => change({ target }));
  let designed = 1;
  const length = slider({
    label: "Length of the query", min: 1 / 16, max: 4, log: true, unit: { of: () => designed },
    marks: [["soft", 1 / 16], [AS_DESIGNED, 1], ["sharp", 4]],
    onchange: (factor) => change({ factor }), onhold: view.hold, onrelease: view.release,
  });
  const proof = h("div", { class: "regard-proof" });
  const numbers = matrixInput({ label: "Keys, one per row", names: NAMES, columns: (j) => "xy"[j], most: 32, onchange: setKeys, announce: view.announce });
  const add = h("button", { type: "button", class: "regard-button regard-small", text: "Add a key", onclick: () => {
    const { keys, target } = state();
    if (keys.length < 32) change({ keys: [...keys, [0.5, 0.5]], target: [...target, 0] });
  } });

  view.picture.append(h("figure", { class: "regard-figure" }, field.svg, h("figcaption", { text: "Drag a key. Click it to look at it; hold Shift for several." })));
  const back = h("button", { type: "button", class: "regard-button regard-small", hidden: true, text: "Show the designed query", onclick: () => change({ own: null, factor: 1 }) });
  view.numbers.append(weights.node, shares.node, length.node, back, proof,
    h("details", { class: "regard-fold" }, h("summary", { text: "Keys as numbers" }), numbers.node, add));

  return {
    controls({ keys, target, own }) {
      numbers.set(keys);
      back.hidden = own === null;
      length.mark(AS_DESIGNED, own === null ? AS_DESIGNED : "as given");
      shares.set(target, NAMES);
    },
    show({ state: { keys, target, factor, own }, found: { design } }) {
      designed = own === null ? design.length : Math.hypot(...own);
      const impossible = design.status === "impossible";
      const tone = impossible ? "regard-tone-bad" : "regard-tone-target";
      draw({ keys, target, design, factor, own: own !== null, names: NAMES });
      field.show(keys.map((at, i) => ({
        at,
        r: 5.5 + 15 * Math.sqrt(design.shown.weights[i]),
        tone: target[i] > 0 ? tone : "regard-tone-key",
        pressed: target[i] > 0,
        label: `${spoken(NAMES(i))} at ${number(at[0])}, ${number(at[1])}: ${percent(design.shown.weights[i])} of the attention`,
      })));
      weights.show(keys.map((_, i) => ({
        name: NAMES(i), weight: design.shown.weights[i], wanted: target[i], tone: target[i] > 0 ? tone : "",
      })));
      length.set(factor, `${number(design.shown.length)}, ${number(factor)} times the length ${own === null ? "designed" : "given"}`);
      prove(proof, design, target);
    },
    headline({ state: { target, own, factor }, found: { design } }) {
      if (own !== null) return answered(design, factor);
      const chosen = wantedOf(target);
      const names = listed(chosen.map((i) => `$${NAMES(i)}$`));
      if (design.status === "impossible") return { tone: "bad", text: refusal(design, names, chosen.length) };
      if (design.status === "undecided") return { text: `Not decided: the closest query found is off by **${percent(design.error)}**.` };
      return { tone: "target", text: `**${percent(design.shown.on_target)}** of the attention is on ${names}.` };
    },
    table: ({ state: { keys, target }, found: { design } }) => ({
      caption: "Keys, scores and weights of the query that is shown",
      columns: ["key", "x", "y", "score $q·k$", "weight", "wanted",
        ...(design.average ? [`share in the average that is $${NAMES(wantedOf(target)[0])}$`] : [])],
      rows: keys.map((key, i) => [`$${NAMES(i)}$`, number(key[0], 4), number(key[1], 4),
        number(design.shown.scores[i], 4), number(design.shown.weights[i], 4), number(target[i], 4),
        ...(design.average ? [number(design.average[i], 4)] : [])]),
    }),
    python: ({ state: now }) => pythonCode(now),
    problem: ({ state: now }) => problemFile(now),
  };
}

/** What a query does that was brought along. */
function answered({ shown, tolerance }, factor) {
  const whose = factor === 1 ? "This query" : `This query, ${number(factor)} times as long,`;
  if (shown.off <= tolerance) return { tone: "target", text: `${whose} gives every weight **to within ${atMost(shown.off)}**.` };
  return { tone: "bad", text: `${whose} gets a weight wrong by **${percent(shown.off)}**.` };
}

/** "No query", with the length up to which that is proved if it is not of all lengths. */
function noQuery({ radius }) {
  return radius === null ? "No query" : `No query up to length ${upTo(radius)}`;
}

function refusal(design, names, count) {
  const none = noQuery(design);
  if (count === 1 && design.ceiling !== null) return `${none} can look at ${names} alone: at most **${percentUp(design.ceiling)}**.`;
  if (design.off_by_at_least !== null) return `${none} gives these weights: one is always off by **${percentDown(design.off_by_at_least)}** or more.`;
  return `${none} looks at ${names} like that, to within **${percent(design.tolerance)}**.`;
}

/** The box with the proof: what was verified, in words. */
function prove(box, design, target) {
  const chosen = wantedOf(target);
  box.dataset.tone = design.status === "impossible" ? "bad" : "";
  fill(box, [design.status, design.proved, design.error, design.average, design.radius, design.sentence, chosen], () => h("p", {}, words(said(design, chosen))));
}

/** The keys that are averaged, with their shares; of many the largest, as the table has them all. */
function averaged(shares) {
  const parts = shares.flatMap((share, i) => (share >= 5e-4 ? [{ share, text: `$${NAMES(i)}$ (${percent(share, 2)})` }] : []));
  if (parts.length <= FEW) return listed(parts.map(({ text }) => text));
  const first = parts.toSorted((a, b) => b.share - a.share).slice(0, 3);
  return `${parts.length} other keys, most of all ${listed(first.map(({ text }) => text))}`;
}

function said(design, chosen) {
  if (!design.proved) return `Not proved. ${design.sentence}`;
  if (design.status === "impossible" && design.average) {
    const average = `$${NAMES(chosen[0])}$ is an average of ${averaged(design.average)}`;
    if (design.radius !== null) return `**Proved** for queries up to length ${upTo(design.radius)}: but for rounding, ${average}.`;
    return `**Proved.** ${average}, so it never scores above all of them.`;
  }
  if (design.status === "impossible") return `**Proved.** ${design.sentence.replace(/ The certificate proves it\..*/, "").replace(/^no query/, "No query")}`;
  if (design.length === 0) return `**Proved:** with the query 0 every weight is ${design.error === 0 ? "the one asked for" : `within ${atMost(Math.max(design.error, 1e-9))} of the one asked for`}, and no query is shorter.`;
  const close = `at the designed length, ${number(design.length, 4)}, every weight is within ${atMost(design.error)} of the one asked for`;
  return `**Proved:** ${close}${shortest(design)}.`;
}

function shortest({ longer }) {
  return typeof longer === "number" ? `; no shorter query does that (to ${atMost(longer)} of its length)` : "";
}

/** The small picture on the first page. */
function card() {
  const points = [[112, 34], [76, 12], [20, 26], [30, 70], [92, 74]];
  return s("svg", { viewBox: "0 0 140 86" },
    s("polygon", { points: points.map((p) => p.join(",")).join(" "), class: "regard-hull" }),
    s("path", { d: "M62 44 L96 38 M96 38 l-8 -2 M96 38 l-7 5", class: "regard-arrow" }),
    points.map(([cx, cy], i) => s("circle", { cx, cy, r: i ? 4 : 9, class: `regard-point ${i ? "regard-tone-key" : "regard-tone-target"}` })));
}

const whereToLook = { ...scene(build), card };
export default whereToLook;
