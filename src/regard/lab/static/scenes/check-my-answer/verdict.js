// The verdict: each goal, what the mistake looks like, and the smallest case where it shows.

import { fill, h } from "../../kit/dom.js";
import { words } from "../../kit/math.js";
import { number, raised } from "../../kit/numbers.js";
import { aligned } from "../../kit/table.js";

const TITLES = { "where-to-look": "Where to look", "step-by-step": "Step by step", "split-subspaces": "Split two subspaces", positions: "Positions" };

const GREEK = { alpha: "α", beta: "β", epsilon: "ε", mu: "μ", sigma: "σ" };

/** Words of the engine, with names such as v_a as formulas, powers of ten, and a true minus. */
function said(plain) {
  const text = plain.replace(/(\d)e([-+]\d+)\b/g, (_, digit, power) => `${digit}\u00a0×\u00a0${raised(power)}`).replace(/(^|[\s(,])-(?=[\d\s])/g, "$1−");
  const greek = text.replace(/\b(alpha|beta|epsilon|mu|sigma)(?![\w.(])/g, (name) => `$${GREEK[name]}$`);
  return words(greek.replace(/(^|[^\w$])([A-Za-z]_[A-Za-z0-9]+)(?![\w$])/g, "$1$$$2$$"));
}

/** Return `node` and `show(verdict, fresh, state)`; `paged`: whether other scenes have addresses. */
export function verdictPane(paged) {
  const node = h("div", { class: "regard-numbers" });
  return {
    node,
    show(verdict, fresh, state) {
      fill(node, [verdict, fresh, state], () => (fresh ? told(verdict, paged ? state : null) : [h("p", { class: "regard-proof", text: "Press Check, or Enter in a field: the verdict stands here." })]));
    },
  };
}

/** `state`: of this scene, to come back to; null where other scenes have no addresses. */
function told(verdict, state) {
  if (verdict.status === "unreadable") {
    return [h("div", { class: "regard-proof", "data-tone": "bad" }, h("p", { class: "regard-unread", text: verdict.headline }))];
  }
  const idea = verdict.misconception && h("div", { class: "regard-proof", "data-tone": "bad" }, h("p", {}, said(verdict.misconception.sentence)));
  return [goals(verdict), idea, ...verdict.remarks.map((remark) => h("p", { class: "regard-note" }, said(remark))), example(verdict, state)].filter(Boolean);
}

function goals(verdict) {
  const rows = verdict.goals.map((goal) => {
    const [mark, spoken, tone] = goal.passed ? ["✓", "reached", ""] : goal.decided ? ["✗", "not reached", "bad"] : ["?", "not decided", "bad"];
    return h("li", { "data-tone": tone }, h("span", { role: "img", "aria-label": spoken, text: mark }), h("span", {}, said(goal.name), h("small", {}, said(goal.sentence))));
  });
  return h("div", { class: "regard-field" }, h("p", { class: "regard-label", text: "What was checked" }), h("ul", { class: "regard-goals" }, rows));
}

function example({ counterexample, play }, state) {
  if (!counterexample) return null;
  const arrays = Object.entries(counterexample.arrays).map(([name, value]) => array(name, value));
  const link = play && state ? h("a", { class: "regard-button regard-primary", href: address(play, state), text: `Play it in ${TITLES[play.scene] ?? play.scene}` }) : null;
  return h("section", { class: "regard-card regard-case", "aria-label": "The smallest case where it fails" },
    h("p", { class: "regard-label", text: "The smallest case where it fails" }),
    h("p", {}, said(counterexample.sentence)), h("div", { class: "regard-arrays" }, arrays),
    counterexample.steps.length ? h("ol", {}, counterexample.steps.map((step) => h("li", {}, said(step)))) : null, link);
}

/** Of the scene in its state; `from` is where its page leads back to. */
function address({ scene, state }, from) {
  const parts = Object.entries({ ...state, played: from }).map(([part, value]) => `${part}=${encodeURIComponent(JSON.stringify(value))}`);
  return `/scene/${scene}?${parts.join("&")}`;
}

/** One array with its name: a number, a vector as a row, or a matrix. */
function array(name, value) {
  const rows = !Array.isArray(value) ? [[value]] : Array.isArray(value[0]) ? value : [value];
  const cells = rows.map((row) => [row].flat(Infinity).map((x) => number(x, 4)));
  return h("div", { class: "regard-array", "data-name": name, "data-value": JSON.stringify(value), tabindex: "0", role: "group", "aria-label": name },
    h("span", {}, /^[A-Za-z](_\w+)?$/.test(name) ? words(`$${name}$`) : said(name), " ="), h("table", {}, h("tbody", {}, aligned(cells))));
}
