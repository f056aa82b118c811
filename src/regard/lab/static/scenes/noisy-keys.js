// Noisy keys: the cloud of outputs when keys are random, its exact law, and heads that keep it small.

import { choice } from "../kit/choice.js";
import { fill, h, s } from "../kit/dom.js";
import { spoken, words } from "../kit/math.js";
import { number, percent } from "../kit/numbers.js";
import { plane } from "../kit/plane.js";
import { scene } from "../kit/scene.js";
import { slider } from "../kit/slider.js";
import { problemFile, pythonCode } from "./noisy-keys/copies.js";
import { drawing } from "./noisy-keys/drawing.js";
import { scoreHistogram } from "./noisy-keys/histogram.js";

const HEADS = [
  ["one", "One head"],
  ["two", "Two heads"],
  ["null_one", "One head, null-steered"],
  ["null_two", "Two heads, null-steered"],
];
const NAMES = (i) => `v_${"abcdef"[i]}`;
const CLOSE = 0.1; // of the way from v_a to v_b: an output that is closer is called near

function build(view) {
  const { change, state } = view;
  const held = { onhold: view.hold, onrelease: view.release };
  const field = plane({
    label: "Values in the plane, and the outputs between them. Arrow keys move a value.",
    signal: view.signal,
    ...held,
    onmove: (i, at) => change({ values: state().values.map((value, j) => (i === j ? at : value)) }),
    onresize: view.redraw,
  });
  const draw = drawing(field);
  const histogram = scoreHistogram(view);
  const chosen = choice({ label: "Heads, and how far their output is off", options: HEADS, onchoose: (heads) => change({ heads }) });
  const sliders = {
    C: slider({ label: "Length of the queries, C", min: 1, max: 30, log: true, onchange: (C) => change({ C }), ...held }),
    variance: slider({ label: "How much the length of kₐ varies (variance)", min: 0, max: 2, onchange: (variance) => change({ variance }), ...held }),
    alpha: slider({ label: "Noise of every key in every direction, α", min: 1e-6, max: 0.05, log: true, onchange: (alpha) => change({ alpha }), ...held }),
    n: slider({ label: "Number of keys, n", min: 3, max: 6, step: 1, onchange: (n) => change({ n: Math.round(n) }), ...held }),
  };
  const event = h("div", { class: "regard-proof" });
  const again = h("button", { type: "button", class: "regard-button regard-small", text: "Draw again", onclick: () => change({ seed: state().seed + 1 }) });

  view.picture.append(h("figure", { class: "regard-figure regard-noise" }, field.svg,
    h("figcaption", {}, words("A dot: the output for one draw of the keys. Cross and ellipse: exact mean and deviation. Rings: where dots go as $C$ grows."))), histogram.node);
  view.numbers.append(chosen.node, h("div", { class: "regard-sliders" }, Object.values(sliders).map((one) => one.node)), event, h("div", {}, again));

  return {
    controls(now) {
      for (const [part, one] of Object.entries(sliders)) one.set(now[part]);
      chosen.set(now.heads);
    },
    show({ state: now, found: { noise } }) {
      const steered = now.heads.startsWith("null");
      const values = now.values.slice(0, now.n);
      draw({ values, noise, steered, names: NAMES });
      field.show(values.map((at, i) => ({
        at, r: i < 2 ? 8 : 6, tone: i < 2 ? "regard-tone-target" : "regard-tone-key",
        label: `${spoken(NAMES(i))} at ${number(at[0])}, ${number(at[1])}`,
      })));
      histogram.show(noise, steered);
      chosen.show(noise.off, noise.apart / 2);
      event.dataset.tone = steered ? "" : "bad";
      fill(event, [noise.event, now.heads, noise.proved, now.C], () => h("p", {}, words(told(now, noise))));
    },
    headline({ found: { noise }, state: now }) {
      const off = noise.off[now.heads];
      const near = off <= CLOSE * noise.apart;
      return { tone: near ? "target" : "bad", text: `Typically the output is **${number(off)}** away from the average of $v_a$ and $v_b$.` };
    },
    table: ({ state: now, found: { noise } }) => ({
      caption: "The exact law of the output, and how far each kind of head is off",
      columns: ["what", "x", "y"],
      rows: [
        ["wanted, $c$", ...noise.wanted.map((x) => number(x, 4))],
        ["mean of the output", ...noise.mean.map((x) => number(x, 4))],
        ["standard deviation", ...noise.covariance.map((row, i) => number(Math.sqrt(row[i]), 4))],
        ...(noise.limit ?? []).map(({ probability, output }) => [`as $C$ grows, with ${percent(probability)}`, ...output.map((x) => number(x, 4))]),
        ...HEADS.map(([name, title]) => [`${title}: root of the mean squared distance`, number(noise.off[name], 4), name === now.heads ? "shown" : ""]),
        ["probability of $q·k_a < 0$", number(noise.event.probability, 4), `${noise.event.count} of ${noise.draws.length} drawn`],
      ],
    }),
    python: ({ state: now }) => pythonCode(now),
    problem: ({ state: now }) => problemFile(now),
  };
}

/** What the event q·k_a < 0 does to these heads. */
function told({ heads, C }, { event, draws, proved }) {
  if (heads.startsWith("null")) {
    const quiet = `Here $q·k_a$ is ${number(event.mean)} ± ${number(event.deviation)}; a query $Cμ_a$ has ${number(C)} ± ${number(event.plain_deviation)}.`;
    return proved ? `${quiet} **Proved:** of all queries that are ahead by $C$, none has less noise in its score differences.` : quiet;
  }
  const chance = `$q·k_a < 0$ has probability **${percent(event.probability)}**: ${event.count} of ${draws.length} draws, in violet.`;
  const share = event.most < 1e-4 ? "less than 0.01\u202f%" : `at most ${percent(event.most)}`;
  const most = event.count ? ` There $k_a$ gets ${share} of ${heads === "one" ? "the attention" : "the attention of head 1"}.` : "";
  return `${chance}${most}${heads === "two" ? " Head 2 does not depend on the length of $k_a$." : ""}`;
}

/** The small picture on the first page. */
function card() {
  const dots = [[36, 30], [40, 31], [33, 29], [100, 20], [96, 21], [104, 19], [101, 21], [52, 28], [84, 23], [68, 26]];
  return s("svg", { viewBox: "0 0 140 86" },
    s("line", { x1: 30, y1: 30, x2: 108, y2: 19, class: "regard-line-rival" }),
    dots.map(([cx, cy], i) => s("circle", { cx, cy, r: 3.5, class: `regard-dot-drawn ${i > 6 ? "regard-tone-bad" : "regard-tone-query"}` })),
    s("circle", { cx: 69, cy: 25, r: 8, class: "regard-wanted-ring" }),
    [[24, 32], [114, 18]].map(([cx, cy]) => s("circle", { cx, cy, r: 5, class: "regard-point regard-tone-target" })),
    [[92, 68], [44, 64]].map(([cx, cy]) => s("circle", { cx, cy, r: 4, class: "regard-point regard-tone-key" })));
}

const noisyKeys = { ...scene(build), card };
export default noisyKeys;
