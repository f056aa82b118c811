// Choose K, Q, V: tokens, where each shall look, and the matrices that make it so.

import { fill, h, s, set } from "../kit/dom.js";
import { formula, words } from "../kit/math.js";
import { literal } from "../kit/copy.js";
import { matrixInput } from "../kit/matrix.js";
import { atMost, number, percent, percentDown } from "../kit/numbers.js";
import { scene } from "../kit/scene.js";
import { slider } from "../kit/slider.js";
import { aligned } from "../kit/table.js";

const NAME = (i) => `x_${i + 1}`;
const LETTERS = ["a", "b", "c", "d", "e", "f"];

function build(view) {
  const { change, state } = view;
  const own = looks("As their own queries and keys");
  const found = looks("With the matrices found");
  const grid = matrixInput({ label: "Tokens in parts of $u_a$, $u_b$, …, one per row", names: NAME, columns: (j) => `u_${LETTERS[j]}`, most: 6, onchange: setTokens, announce: view.announce });
  const length = slider({ label: "Length of each u", min: 0.25, max: 8, log: true, onchange: (value) => change({ length: value }), onhold: view.hold, onrelease: view.release });
  const goals = h("div", { class: "regard-rows-goals" });
  const matrices = h("div", { class: "regard-found" });
  const proof = h("div", { class: "regard-proof" });
  const label = (text) => h("p", { class: "regard-label", text });

  function setTokens(tokens) {
    if (tokens[0].length > LETTERS.length) return view.announce("At most six vectors u.");
    const kept = tokens.map((_, i) => { const goal = state().goals[i] ?? -1; return goal < tokens.length ? goal : -1; });
    change({ tokens, goals: kept.some((goal) => goal >= 0) ? kept : kept.map((goal, i) => (i === 0 ? 0 : goal)) });
  }

  function setGoal(i, goal) {
    const next = state().goals.map((old, j) => (i === j ? goal : old));
    if (next.some((one) => one >= 0)) change({ goals: next });
    else {
      view.announce("At least one token needs a goal.");
      shownGoals(state());
    }
  }

  function shownGoals({ tokens, goals: now }) {
    fill(goals, tokens.length, () => tokens.map((_, i) => {
      const options = [h("option", { value: -1, text: "anything" }), ...tokens.map((__, j) => h("option", { value: j, text: `x${"₁₂₃₄₅₆"[j]}` }))];
      const select = h("select", { "aria-label": `Where x ${i + 1} shall look`, onchange: () => setGoal(i, Number(select.value)) }, options);
      return h("label", {}, formula(NAME(i)), h("span", { text: "shall look at" }), select);
    }));
    goals.querySelectorAll("select").forEach((select, i) => { select.value = String(now[i]); });
  }

  view.picture.append(h("figure", { class: "regard-figure regard-looks" }, own.node, found.node, h("div", { class: "regard-looks-whole" }, grid.node),
    h("div", { class: "regard-looks-whole" }, h("p", { class: "regard-label" }, words("The matrices found; $W_V$ is the identity")), matrices)));
  view.numbers.append(h("div", { class: "regard-field" }, label("Goals"), goals), length.node, proof);

  return {
    controls(now) {
      grid.set(now.tokens);
      length.set(now.length);
      shownGoals(now);
    },
    show({ state: now, found: { head } }) {
      own.show(head.own.weights, now.goals);
      found.show(head.weights, now.goals);
      fill(matrices, [head.W_Q, head.W_K], () => [array("W_Q", head.W_Q), array("W_K", head.W_K)]);
      proof.dataset.tone = head.status === "reached" ? "" : "bad";
      fill(proof, [head.status, head.error, head.own.because, head.d_k], () => said(head, now.goals).map((text) => h("p", {}, words(text))));
    },
    headline({ state: { goals: now }, found: { head } }) {
      const least = Math.min(...now.flatMap((goal, i) => (goal < 0 ? [] : [head.weights[i][goal]])));
      if (head.status === "reached") return { tone: "target", text: `With matrices, every token gives its goal at least **${percentDown(least)}**.` };
      return { tone: "bad", text: head.status === "impossible" ? `No matrices do that: a goal here gets only **${percent(least)}**.` : `Not decided: a goal here gets only **${percent(least)}**.` };
    },
    table: ({ state: now, found: { head } }) => ({
      caption: "Attention of each token (rows) on each token: as they are, and with the matrices",
      columns: ["from", "to", "score as they are", "weight as they are", "weight with matrices", "goal"],
      rows: head.weights.flatMap((row, i) => row.map((weight, j) => [`$${NAME(i)}$`, `$${NAME(j)}$`, number(head.own.scores[i][j], 4), number(head.own.weights[i][j], 4), number(weight, 4), now.goals[i] === j ? "yes" : "no"])),
    }),
    python: ({ state: now }) => pythonCode(now),
    problem: ({ state: now }) => problemFile(now),
  };
}

/** A share in whole percent, where there is no room for more; 0 and 100 are said of nothing else. */
function whole(weight) {
  if (weight === 0 || weight === 1) return String(100 * weight);
  return weight < 0.005 ? "<1" : weight > 0.995 ? ">99" : String(Math.round(100 * weight));
}

/** A square of weights with the goals outlined. */
function looks(title) {
  const body = h("tbody");
  const head = h("tr");
  const name = h("p", { class: "regard-label" });
  const node = h("div", { class: "regard-square" }, name, h("table", { "aria-label": `${title}: the attention of each token on each` }, h("thead", {}, head), body));
  return {
    node,
    show(weights, goals) {
      node.classList.toggle("regard-many", weights.length > 4);
      fill(name, weights.length > 4, () => (weights.length > 4 ? `${title}, in percent` : title));
      fill(head, weights.length, () => [h("td"), ...weights.map((_, j) => h("th", { scope: "col" }, formula(NAME(j))))]);
      fill(body, weights.length, () => weights.map((row, i) => h("tr", {}, h("th", { scope: "row" }, formula(NAME(i))), row.map(() => h("td", { class: "regard-look" })))));
      weights.forEach((row, i) => row.forEach((weight, j) => set(body.children[i].children[j + 1], {
        text: weights.length > 4 ? whole(weight) : percent(weight, 3, true), "data-value": weight, vars: { "--share": String(weight) }, class: `regard-look ${goals[i] === j ? "regard-tone-target" : ""}`,
      })));
    },
  };
}

function array(name, rows) {
  return h("div", { class: "regard-array", "data-name": name, "data-value": JSON.stringify(rows), tabindex: "0", role: "group", "aria-label": name },
    h("span", {}, formula(name), " ="), h("table", {}, h("tbody", {}, aligned(rows.map((row) => row.map((x) => number(x)))))));
}

/** The sentence of a refusal for somebody who did not call a function. */
function plainly(sentence) {
  const text = sentence.replace(/^design\.self_attention: /, "").replace(/ The certificate proves it\..*/, "");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** What is proved, and why the tokens alone do not do it. */
function said(head, goals) {
  const texts = [];
  if (head.status === "reached" && head.proved) {
    const fewer = head.d_k === head.d_k_lower_bound ? (head.d_k === 1 ? "" : "; fewer are proved to be too few") : `; at least ${head.d_k_lower_bound} are needed`;
    texts.push(`**Proved:** where there is a goal, every weight is within ${atMost(head.error)} of it. Queries and keys have ${head.d_k === 1 ? "one number" : `${head.d_k} numbers`}${fewer}.`);
  } else texts.push(`${head.proved && head.status === "impossible" ? "**Proved.** " : ""}${plainly(head.sentence)}`);
  head.own.because.forEach((why, i) => {
    if (why) texts.push(`Without matrices $${NAME(i)}$ scores ${number(why.score)} with $${NAME(goals[i])}$, and ${number(why.rival_score)} with ${why.rival === i ? "itself" : `$${NAME(why.rival)}$`}.`);
  });
  return texts;
}

function pythonCode({ tokens, length, goals }) {
  const attend = goals.flatMap((goal, i) => (goal < 0 ? [] : [`${i}: ${goal}`])).join(", ");
  return `import numpy as np
import regard

tokens = ${literal(length)} * np.array(${literal(tokens)})
try:
    design = regard.design.self_attention(tokens, attend={${attend}})
except (regard.InfeasibleDesign, regard.UndecidedDesign) as refusal:
    print(refusal)
    design = refusal.best  # the closest that was found
_, own = regard.attention_with_weights(tokens, tokens, tokens, scale=1.0)
print("W_Q", design.W_Q)
print("W_K", design.W_K)
print("weights", design.weights)
print("weights as they are", own)
`;
}

/** A problem that asks for K, Q and V with these goals. */
function problemFile({ tokens, length, goals }) {
  const width = tokens[0].length;
  const text = (row) => row.flatMap((part, i) => (part === 0 ? [] : [`${part === 1 ? "" : `${part} `}u_${LETTERS[i]}`])).join(" + ").replaceAll("+ -", "- ") || "0 u_a";
  const attend = goals.flatMap((goal, i) => (goal < 0 ? [] : [`x_${i + 1} = "x_${goal + 1}"`])).join(", ");
  return `schema = 1
id = "choose-kqv"
title = "Choose keys, queries and values"
kind = "self_attention"
statement = "The vectors $u_a, u_b, \\\\ldots$ are at right angles and have the length $\\\\beta$. Find $K$, $Q$ and $V$ with which each token looks where it should."

[given]
parameters = { beta = ${literal(length)} }
basis = { names = [${LETTERS.slice(0, width).map((letter) => `"u_${letter}"`).join(", ")}], norm = "beta" }
tokens = [${tokens.map((row) => `"${text(row)}"`).join(", ")}]

[goal]
attend = { ${attend} }
tolerance = 0.001
`;
}

/** The small picture on the first page. */
function card() {
  const cells = [];
  for (let i = 0; i < 3; i += 1) {
    for (let j = 0; j < 3; j += 1) cells.push(s("rect", { x: 34 + 25 * j, y: 6 + 25 * i, width: 22, height: 22, rx: 4, class: `regard-point ${j === (i + 1) % 3 ? "regard-tone-target" : "regard-tone-key"}`, "fill-opacity": j === (i + 1) % 3 ? 1 : 0.15 }));
  }
  return s("svg", { viewBox: "0 0 140 86" }, cells);
}

const chooseKqv = { ...scene(build), card };
export default chooseKqv;
