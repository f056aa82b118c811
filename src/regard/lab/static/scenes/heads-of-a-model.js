// Heads of a model: a list of all heads, the striking ones first, and the map of one of them.

import { fill, h, s, set, uid } from "../kit/dom.js";
import { attentionMap } from "../kit/map.js";
import { words } from "../kit/math.js";
import { number, percent } from "../kit/numbers.js";
import { scene } from "../kit/scene.js";
import { problemFile, pythonCode } from "./heads-of-a-model/copies.js";
import { headList } from "./heads-of-a-model/list.js";
import { shiftBars } from "./heads-of-a-model/shifts.js";
import { doing, evidence, facts, rowSentence } from "./heads-of-a-model/words.js";

const READ = [["tokens", "on repeated tokens"], ["weights", "from weights alone"]];

function build(view) {
  const { change } = view;
  const map = attentionMap((row) => change({ row }), "The row that is read: the token that looks");
  const shifts = shiftBars({ onresize: view.redraw, signal: view.signal });
  const mapLabel = h("p", { class: "regard-label" });
  const shiftLabel = h("p", { class: "regard-label" });
  const row = h("p", { class: "regard-row-said" });
  const strongest = h("span");
  const proof = h("div", { class: "regard-proof" });
  const list = headList({ onhead: (head) => change({ head }), onlabel: (label) => change({ label }) });

  const names = uid("model");
  const models = h("select", { class: "regard-number", id: names, onchange: () => change({ model: models.value, head: "clearest", label: "all" }) });
  const group = uid("read");
  const reads = READ.map(([read, text]) => {
    const radio = h("input", { type: "radio", name: group, onchange: () => change({ read }) });
    return { read, radio, node: h("label", {}, radio, h("span", { text })) };
  });
  const about = h("div", { class: "regard-note" });

  view.picture.append(
    h("div", { class: "regard-figure regard-head-figure" },
      h("div", {}, mapLabel, map.svg, h("p", { class: "regard-axis-note" }, h("span", { text: "← earlier keys" }), strongest)),
      row,
      h("div", {}, shiftLabel, shifts.svg)),
    h("div", { class: "regard-model-choice" },
      h("div", { class: "regard-field" }, h("label", { class: "regard-label", for: names, text: "Model" }), models),
      h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label", text: "Read" }), h("div", { class: "regard-reads" }, reads.map((one) => one.node)))),
    h("details", { class: "regard-fold" }, h("summary", { text: "What to know about these numbers" }), about));
  view.numbers.append(proof, list.node);

  return {
    controls({ read, label, head }) {
      for (const one of reads) one.radio.checked = one.read === read;
      list.choose(label, head);
    },
    show({ state: now, found: { heads, head } }) {
      fill(models, heads.models, () => heads.models.map((name) => h("option", { value: name, text: name === "demonstration" ? "demonstration (designed heads)" : name })));
      models.value = now.model;
      list.show(heads, now.label, head.name);
      const n = head.map.length;
      const at = Math.min(now.row, n - 1);
      const aims = head.aims.map((keys) => new Set(keys));
      const largest = map.show(head.map, (t, j) => aims[t].has(j), at, JSON.stringify([now.model, now.read, head.name]));
      set(mapLabel, { text: `Head ${head.name}, ${head.label}: where each ${now.read === "tokens" ? "token" : "position"} (row) looks` });
      set(shiftLabel, { text: `Weight by distance, query minus key: ${now.read === "tokens" ? "mean" : "geometric mean"} over rows` });
      set(strongest, { text: `strongest: ${percent(largest)}` });
      const said = rowSentence(head, at);
      map.say(said);
      fill(row, said, () => words(said));
      shifts.show(head);
      fill(proof, [head, now.read], () => [...evidence(head), ...facts(head)].map((text) => h("p", {}, words(text))));
      proof.dataset.tone = head.strength > 0 ? "" : "bad";
      fill(about, [heads.about, heads.notes], () => [`${heads.about[0].toUpperCase()}${heads.about.slice(1)}.`, ...heads.notes].map((text) => h("p", { text })));
    },
    headline: ({ found: { head } }) => doing(head),
    table: ({ found: { heads } }) => ({
      caption: `The heads, striking ones first${heads.count > heads.heads.length ? `; ${heads.count - heads.heads.length} more are left out` : ""}`,
      columns: ["head", "label", "mean weight where the label says"],
      rows: heads.heads.map(({ name, label, strength }) => [name, label.replace("-", "−"), strength > 0 ? number(strength, 4) : "–"]),
    }),
    python: ({ state: now, found }) => pythonCode(now, found),
    problem: ({ found: { head } }) => problemFile(head),
  };
}

/** The small picture on the first page: four small maps. */
function card() {
  const maps = [(t, j) => t - j === 1, (_, j) => j === 0, (t, j) => t - j === 3, (t, j) => (t * 5 + j * 3) % 4 === 0];
  const cells = maps.flatMap((dark, k) => Array.from({ length: 49 }, (_, at) => {
    const [t, j] = [Math.floor(at / 7), at % 7];
    if (j > t) return null;
    return s("rect", { x: 8 + (k % 2) * 70 + 5 * j + 16, y: 4 + Math.floor(k / 2) * 42 + 5 * t, width: 4.4, height: 4.4, class: dark(t, j) && k < 3 ? "regard-tone-target" : "regard-tone-key", "fill-opacity": dark(t, j) ? 0.9 : 0.15 });
  }).filter(Boolean));
  return s("svg", { viewBox: "0 0 140 86", class: "regard-small-maps" }, cells);
}

const headsOfAModel = { ...scene(build), card };
export default headsOfAModel;
