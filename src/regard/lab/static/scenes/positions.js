// Positions: waves that say where a token stands, and the head that looks back by them.

import { fill, h, s, set } from "../kit/dom.js";
import { attentionMap } from "../kit/map.js";
import { words } from "../kit/math.js";
import { number, percent, percentDown, readNumber } from "../kit/numbers.js";
import { scene } from "../kit/scene.js";
import { slider } from "../kit/slider.js";
import { problemFile, pythonCode } from "./positions/copies.js";
import { kernelPlot } from "./positions/kernel.js";
import { rowWords, waves } from "./positions/maps.js";

const FARTHEST = 16;
const WAYS = [
  { name: "zero", text: "Zeroing by hand", patch: { method: "zero", signed: false } },
  { name: "optimal", text: "Best weights", patch: { method: "optimal", signed: false } },
  { name: "signed", text: "Best, any sign", patch: { method: "optimal", signed: true } },
];

/** Where a window of steps back lies, in words: "5 steps back", "1 to 5 steps back". */
function where(T, half) {
  const side = (d) => (d < 0 ? `${-d} ahead` : `${d} back`);
  const [near, far] = [T - half, T + half];
  if (half === 0) return T === 0 ? "itself" : `${Math.abs(T)} step${Math.abs(T) === 1 ? "" : "s"} ${T < 0 ? "ahead" : "back"}`;
  if (near >= 0) return `${near} to ${far} steps back`;
  if (far <= 0) return `${-far} to ${-near} steps ahead`;
  return `from ${side(near)} to ${side(far)}`;
}

/** A lower bound, rounded down to three digits. */
function atLeast(x) {
  if (typeof x !== "number" || x <= 0) return number(x);
  const unit = 10 ** (Math.floor(Math.log10(x)) - 2);
  return number(Number((Math.floor(x / unit + 1e-9) * unit).toPrecision(3)));
}

const halfOf = (B) => (B === null ? 0 : Math.floor(B / 2));
const wayOf = ({ method, signed }) => (method === "zero" ? "zero" : signed ? "signed" : "optimal");
const leastOf = (design) => Math.min(...design.on_aim.filter((share) => share >= 0));

function build(view) {
  const { change, state } = view;
  const held = { onhold: view.hold, onrelease: view.release };
  const map = attentionMap((row) => change({ row }));
  const rows = waves();
  const clamp = (T) => Math.max(-FARTHEST, Math.min(FARTHEST, T));
  const plot = kernelPlot({ ...held, ondrag: (T) => change({ T: clamp(T) }), onresize: view.redraw, signal: view.signal });
  const whole = (part, patch) => (value) => change(patch ? patch(Math.round(value)) : { [part]: Math.round(value) });

  const steps = slider({ label: "Steps back, T", min: -FARTHEST, max: FARTHEST, step: 1, ...held, onchange: whole("T") });
  const width = slider({ label: "Width of the window, B", min: 0, max: 16, step: 2, ...held, onchange: (B) => change({ B: B > 0 ? 2 * Math.round(B / 2) : null }) });
  const content = slider({ label: "Length of the content", min: 0, max: 1, step: 0.01, ...held, onchange: (value) => change({ content: value }) });
  const scale = slider({ label: "Scale of the scores", min: 1, max: 256, log: true, ...held, onchange: (value) => change({ scale: value }) });
  const model = slider({ label: "Width of a position, d", min: 2, max: 64, step: 2, ...held, onchange: whole("d_model", (d) => ({ d_model: 2 * Math.round(d / 2), d_k: null })) });
  const length = slider({ label: "Positions, n", min: 20, max: 48, step: 1, ...held, onchange: whole("n") });
  const phase = slider({ label: "Turn of a kept block, at most", min: 0.2, max: 3.141592, ...held, onchange: (value) => change({ phase: value }) });
  const blocks = stepper((count) => change({ d_k: count >= state().d_model / 2 ? null : 2 * Math.max(1, Math.round(count)) }));
  const ways = WAYS.map(({ text, patch }) => {
    const bar = h("span", { class: "regard-bar" });
    const value = h("span");
    const button = h("button", { type: "button", class: "regard-way", onclick: () => change(patch) }, h("span", { text }), h("span", { class: "regard-track", "aria-hidden": "true" }, bar), value);
    return { button, bar, value };
  });
  const choice = h("div", { class: "regard-ways", role: "group", "aria-label": "How the blocks are weighed" }, h("p", { class: "regard-label", text: "How far the window is ahead" }), ways.map(({ button }) => button));
  const proof = h("div", { class: "regard-proof" });
  const label = (text) => h("p", { class: "regard-label", text });
  const strongest = h("span");
  const chosen = h("p", { class: "regard-axis-note regard-whole" });

  view.picture.append(h("figure", { class: "regard-figure regard-waves" },
    h("div", {}, label("Where each position looks"), map.svg, h("p", { class: "regard-axis-note" }, h("span", { text: "rows look at columns" }), strongest)),
    h("div", {}, label("Each position as waves"), rows.node, h("p", { class: "regard-axis-note", text: "how much each wave counts" })),
    chosen,
    h("div", { class: "regard-whole" }, label("Score of a key by its distance"), plot.svg, h("p", { class: "regard-axis-note" }, h("span", { text: "← steps back" }), h("span", { text: "steps ahead →" })))));
  view.numbers.append(h("div", { class: "regard-pairs" }, steps.node, width.node, content.node, scale.node, phase.node, blocks.node, model.node, length.node), choice, proof);

  return {
    controls({ T, B, content: size, scale: times, d_model, n, phase: turn, d_k, method }) {
      steps.set(T, where(T, 0));
      width.set(B ?? 0, B === null ? "one step alone" : String(B));
      content.set(size, `${number(size)} times a position`);
      scale.set(times);
      model.set(d_model);
      length.set(n);
      phase.set(turn, `${number(turn)} radians`);
      blocks.set(d_k === null ? d_model / 2 : d_k / 2, d_model / 2);
      scale.node.hidden = choice.hidden = B === null;
      phase.node.hidden = B === null || method !== "zero";
      blocks.node.hidden = B !== null;
    },
    show({ state: now, found: { design } }) {
      const half = halfOf(now.B);
      const wanted = (t, j) => Math.abs(t - j - now.T) <= half;
      const row = Math.min(now.row, now.n - 1);
      const largest = map.show(design.map, wanted, row, JSON.stringify([now.n, now.T, half]));
      set(strongest, { text: `strongest: ${percent(largest)}` });
      rows.show(design.embedding, design, row, row - now.T);
      plot.show(design, now.T, half, design.rival === null || design.gap > 0);
      const said = rowWords(row, design.on_aim[row], where(now.T, half));
      map.say(said);
      fill(chosen, said, () => said);
      compare(ways, design.gaps, wayOf(now));
      fill(proof, [design.status, design.proved, design.gap, design.kept, design.content, now.T, now.B], () => proved(now, design).map((text) => h("p", {}, words(text))));
      proof.dataset.tone = holds(design) ? "" : "bad";
    },
    headline: ({ state: now, found: { design } }) => headline(now, design),
    table: ({ state: { T, B, row, n }, found: { design } }) => {
      const t = Math.min(row, n - 1);
      return {
        caption: `Scores and weights of position ${t}, for every position it can look at`,
        columns: ["looks at", "steps back", "score by position", "weight", "wanted"],
        rows: design.map[t].map((weight, j) => [j, number(t - j), number(design.kernel[design.shifts.indexOf(t - j)], 4), number(weight, 4), Math.abs(t - j - T) <= halfOf(B) ? "yes" : "no"]),
      };
    },
    python: ({ state: now }) => pythonCode(now),
    problem: ({ state: now }) => problemFile(now),
  };
}

const holds = (design) => design.status === "reached" && design.missed === null;

function headline({ T, B, content }, design) {
  const aim = where(T, halfOf(B));
  if (design.status === "impossible") return { tone: "bad", text: "**No** weights of these waves lift that window above all else." };
  if (design.status === "undecided") return { tone: "bad", text: `**Not decided:** no head was found that looks ${aim}.` };
  if (design.missed !== null) return { tone: "bad", text: `The aim is missed: the key **${where(design.missed, 0)}** scores as high as the window.` };
  const least = leastOf(design);
  const share = least < 0.001 ? percent(least) : percentDown(least);
  if (content > 0 && least < 0.5) return { tone: "bad", text: `Content wins: one position gives its aim, ${aim}, only **${share}**.` };
  return { tone: "target", text: `${content > 0 ? "In spite of the content, at" : "At"} least **${share}** of the attention is ${T === 0 && B === null ? "on itself" : aim}.` };
}

/** The box with the proof: what was verified, which blocks are kept, what content may do. */
function proved({ T, B }, design) {
  const kept = `${design.kept.length} of ${design.blocks.length} blocks are kept (${design.how.replace(/ω_i/g, "$ω_i$")}).`;
  const said = [];
  if (!design.proved || !holds(design)) said.push(`${design.proved && design.status === "impossible" ? "**Proved.** " : ""}${design.sentence || "The window is not ahead of everything else."} ${kept}`);
  else if (B === null) said.push(`**Proved:** by positions alone every query whose key ${where(T, 0)} exists gives it at least ${percentDown(design.mass)}. ${kept}`);
  else said.push(`**Proved:** by positions alone every score in the window is above every other by ${atLeast(design.gap)} or more, times the scale. ${kept}`);
  const { content } = design;
  if (content) {
    const first = content.failure ? ` There position ${content.failure[0]} begins to prefer ${content.failure[1]}.` : "";
    said.push(`Content of any kind may be ${atLeast(content.any)} times as long as a position before the aim can be lost; this one, ${atLeast(content.these)} times.${first}`);
  }
  return said;
}

function compare(ways, gaps, chosen) {
  if (!gaps) return;
  const most = Math.max(...WAYS.map(({ name }) => gaps[name]), 1e-12);
  WAYS.forEach(({ name }, i) => {
    set(ways[i].button, { "aria-pressed": String(name === chosen) });
    set(ways[i].bar, { vars: { "--share": String(Math.max(0, gaps[name] / most)) } });
    set(ways[i].value, { text: gaps[name] > 0 ? number(gaps[name]) : "not", "data-value": gaps[name] });
  });
}

/** A count with buttons to take away and add. */
function stepper(onchange) {
  const box = h("input", { type: "text", inputmode: "numeric", class: "regard-number", "aria-label": "Blocks kept" });
  const of = h("span", { class: "regard-value" });
  let now = 1;
  const by = (step, text, name) => h("button", { type: "button", class: "regard-button regard-small", text, "aria-label": name, onclick: () => onchange(now + step) });
  box.addEventListener("change", () => {
    const typed = readNumber(box.value);
    box.setAttribute("aria-invalid", String(typed === null));
    if (typed !== null) onchange(typed);
  });
  const node = h("div", { class: "regard-field" }, h("p", { class: "regard-label", text: "Blocks kept" }), h("div", { class: "regard-stepper" }, by(-1, "−", "One block less"), box, by(1, "+", "One block more"), of));
  return {
    node,
    set(count, all) {
      now = count;
      if (document.activeElement !== box) box.value = String(count);
      set(of, { text: `of ${all}` });
    },
  };
}

/** The small picture on the first page. */
function card() {
  const cells = [];
  for (let t = 0; t < 9; t += 1) {
    for (let j = 0; j < 9; j += 1) {
      const off = Math.abs(t - j - 2);
      cells.push(s("rect", { x: 32 + 8.6 * j, y: 4 + 8.6 * t, width: 7.6, height: 7.6, rx: 1.5, class: `regard-point ${off < 2 ? "regard-tone-target" : "regard-tone-key"}`, "fill-opacity": [1, 0.5][off] ?? 0.12, stroke: "none" }));
    }
  }
  return s("svg", { viewBox: "0 0 140 86" }, cells);
}

const positions = { ...scene(build), card };
export default positions;
