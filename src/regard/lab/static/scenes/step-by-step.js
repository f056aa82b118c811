// Step by step: every number of a head on small matrices, and the sum that made it.

import { fill, h, s } from "../kit/dom.js";
import { formula, words } from "../kit/math.js";
import { matrixInput } from "../kit/matrix.js";
import { number, percent } from "../kit/numbers.js";
import { scene } from "../kit/scene.js";
import { problemFile, pythonCode } from "./step-by-step/copies.js";
import { readMatrices } from "./step-by-step/handout.js";
import { headOptions } from "./step-by-step/options.js";
import { exactRows, masksFor, placeOf, resized, sizesOf, sourcesOf, within } from "./step-by-step/places.js";
import { result } from "./step-by-step/result.js";

const GIVEN = ["x", "W_Q", "W_K", "W_V"];
const MOST = 8;
const STEPS = [["q", "queries"], ["k", "keys"], ["v", "values"], ["z", "scores"], ["a", "weights"], ["c", "outputs"]];

function build(view) {
  const { change, state } = view;
  const pick = (entry) => change({ entry });

  function set(patch) {
    const next = { ...state(), ...patch };
    const sizes = sizesOf(next);
    change({ ...patch, ...masksFor(next, sizes.n), entry: within(next.entry, sizes) });
  }

  const inputs = Object.fromEntries(GIVEN.map((name) => {
    const label = name === "x" ? "X" : name.replace("_", " ");
    const input = matrixInput({ label, exact: true, most: MOST, announce: view.announce, onchange: (rows) => set({ [name]: exactRows(rows) }) });
    input.node.querySelector("legend").replaceChildren(formula(name === "x" ? "X" : name));
    return [name, input];
  }));
  const results = Object.fromEntries(STEPS.map(([letter, name]) => [letter, result({ letter, name, onpick: pick })]));
  const made = h("div", { class: "regard-made", role: "status", "aria-live": "polite" });
  const options = headOptions({
    most: MOST,
    onscale: (scale) => set({ scale }),
    onmask: set,
    announce: view.announce,
    onsizes: (sizes) => set(resized(state(), sizes)),
  });

  const row = (label, nodes) => h("div", { class: "regard-step" }, h("p", { class: "regard-label", text: label }), h("div", { class: "regard-blocks" }, nodes));
  view.picture.append(h("div", { class: "regard-figure regard-steps" },
    row("Given: tokens and matrices. Type, or paste one or all of them.", GIVEN.map((name) => inputs[name].node)),
    row("Each token times each matrix", ["q", "k", "v"].map((letter) => results[letter].node)),
    row("Scores, weights, outputs", ["z", "a", "c"].map((letter) => results[letter].node)),
    made));
  view.numbers.append(options.node);
  view.picture.addEventListener("paste", (event) => {
    const found = readMatrices(event.clipboardData.getData("text"), MOST);
    if (!found) return; // one matrix: the cell it is pasted into knows which
    event.preventDefault();
    event.stopPropagation();
    view.announce(`Pasted ${Object.keys(found).join(", ")}.`);
    set(Object.fromEntries(Object.entries(found).map(([name, rows]) => [name, exactRows(rows)])));
  }, { capture: true });

  return {
    controls(now) {
      for (const name of GIVEN) inputs[name].set(now[name]);
      options.set(now, sizesOf(now));
      mark(now.entry);
    },
    show({ state: now, found: { trace } }) {
      const sources = sourcesOf(now.entry, trace.visible);
      for (const [letter, name] of STEPS) {
        results[letter].show({
          exact: trace.exact[name], floats: trace.floats[name], picked: now.entry, sources: sources[letter] ?? (() => false),
          unused: (i, j) => (letter === "z" || letter === "a") && !trace.visible[i].includes(j),
          equation: equation(letter, now.scale),
        });
      }
      explain(made, trace.entry);
    },
    headline: ({ state: now, found }) => said(now, found.trace),
    table: ({ found: { trace } }) => ({
      caption: "Every number, exactly and in decimals",
      columns: ["number", "exactly", "in decimals"],
      rows: STEPS.flatMap(([letter, name]) => trace.floats[name].flatMap((line, i) => line.map((_, j) => [
        `$${shortName(letter, i, j)}$`, trace.exact[name][i][j] ?? "softmax of the exact scores", trace.decimal[name][i][j]]))),
    }),
    python: ({ state: now }) => pythonCode(now),
    problem: ({ state: now }) => problemFile(now),
  };

  /** Blue around the cells of given matrices that the number was made of. */
  function mark(entry) {
    const sources = sourcesOf(entry, []);
    for (const name of GIVEN) {
      const width = state()[name][0].length;
      const from = sources[name] ?? (() => false);
      inputs[name].node.querySelectorAll("input").forEach((input, at) => input.classList.toggle("regard-source", from(Math.floor(at / width), at % width)));
    }
  }
}

/** What a matrix is computed by. */
function equation(letter, scale) {
  if (letter === "a") return "$A = softmax(Z)$";
  if (letter === "c") return "$C = A V$";
  if (letter !== "z") return `$${letter.toUpperCase()} = X W_${letter.toUpperCase()}$`;
  if (scale === "1/sqrt(d_k)") return "$Z = Q K^T / √d_k$";
  return Number(scale) === 1 ? "$Z = Q K^T$" : `$Z = ${scale} · Q K^T$`;
}

function shortName(letter, i, j) {
  return letter === "z" || letter === "a" ? `${letter}_{${i + 1},${j + 1}}` : `${letter}_${i + 1}[${j + 1}]`;
}

/** The sum that made the number, as the engine writes it, and the number with more digits. */
function explain(box, entry) {
  fill(box, entry, () => {
    const parts = entry.mathml.map((text) => {
      const math = new DOMParser().parseFromString(text, "text/html").querySelector("math");
      return document.adoptNode(math);
    });
    return [
      h("div", { class: "regard-sum", tabindex: "0", role: "group", "aria-label": `How it was computed: ${entry.text}` }, parts),
      entry.text.endsWith(` = ${entry.decimal}`) ? [] : h("p", { class: "regard-digits" }, "In decimals ", h("span", { text: entry.decimal.replace("-", "−") })),
    ];
  });
}

/** The result as one sentence. */
function said({ entry }, trace) {
  const { letter, i, j } = placeOf(entry);
  const [, name] = STEPS.find(([one]) => one === letter);
  const exact = trace.exact[name][i][j];
  const value = trace.floats[name][i][j];
  const shown = exact !== null && exact.length <= 8 ? exact.replace("-", "−") : number(value, 4);
  if (letter === "a") return { tone: "target", text: `Token ${i + 1} gives **${percent(value)}** of its attention to ${i === j ? "itself" : `token ${j + 1}`}.` };
  if (letter === "z") return { tone: "target", text: `Query ${i + 1} scores **${shown}** with key ${j + 1}.` };
  if (letter === "c") return { tone: "target", text: `Entry ${j + 1} of output ${i + 1} is **${shown}**.` };
  const what = { q: "query", k: "key", v: "value" }[letter];
  return { tone: "target", text: `Entry ${j + 1} of ${what} ${i + 1} is **${shown}**.` };
}

/** The small picture on the first page: a row of a matrix, a column, and what they make. */
function card() {
  const cell = (x, y, tone) => s("rect", { x, y, width: 15, height: 15, rx: 3, class: `regard-point ${tone}` });
  const grid = (x, y, rows, columns, tone) => Array.from({ length: rows * columns }, (_, at) => {
    const [i, j] = [Math.floor(at / columns), at % columns];
    return cell(x + j * 17, y + i * 17, tone(i, j));
  });
  const key = "regard-tone-key";
  return s("svg", { viewBox: "0 0 150 86" },
    grid(8, 18, 3, 2, (i) => (i === 2 ? "regard-tone-query" : key)),
    grid(58, 26, 2, 2, (_, j) => (j === 0 ? "regard-tone-query" : key)),
    grid(108, 18, 3, 2, (i, j) => (i === 2 && j === 0 ? "regard-tone-target" : key)),
    s("path", { d: "M96 40 h6 M96 45 h6", class: "regard-arrow regard-thin" }));
}

const stepByStep = { ...scene(build), card };
export default stepByStep;
