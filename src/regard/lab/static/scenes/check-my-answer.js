// Check my answer: a problem, an answer that is typed, and what it does.

import { fill, h, s } from "../kit/dom.js";
import { scene } from "../kit/scene.js";
import { answerForm, chooser, parsed } from "./check-my-answer/form.js";
import { verdictPane } from "./check-my-answer/verdict.js";

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function build(view) {
  const { change, state } = view;
  const check = () => change({ checked: state().answer });
  const problems = chooser({
    announce: view.announce,
    onchoose: (problem) => change({ problem, file: null, answer: {}, checked: null }),
    onfile: (file) => change({ file, answer: {}, checked: null }),
  });
  const form = answerForm({
    oncheck: check, onhold: view.hold, onrelease: view.release,
    oninput: (name, text) => change({ answer: { ...state().answer, [name]: text } }),
  });
  const statement = h("div", { class: "regard-statement" });
  const pane = verdictPane(view.paged);
  view.picture.append(h("div", { class: "regard-card regard-task" }, problems.node, statement, form.node));
  view.numbers.append(pane.node);

  return {
    controls: ({ answer }) => form.typed(answer),
    show({ state: now, found: { list, form: asked, verdict } }) {
      problems.show(list, now, asked.title);
      fill(statement, asked.statement_html, () => parsed(asked.statement_html));
      form.show(asked, now.answer);
      pane.show(verdict, isFresh(now, verdict), now);
    },
    headline({ state: now, found: { form: asked, verdict } }) {
      if (!isFresh(now, verdict)) return { tone: "query", text: `${asked.title}: **what is your answer?**` };
      if (verdict.status === "right") return { tone: "query", text: "The answer is **right**." };
      if (verdict.status === "unreadable") return { tone: "bad", text: "That is **no answer yet**: see what is missing." };
      const reached = verdict.goals.filter(({ passed }) => passed).length;
      const all = verdict.goals.length;
      const count = all === 1 ? `the goal is **${verdict.status === "wrong" ? "not reached" : "open"}**` : `**${reached} of ${all}** goals are reached`;
      return { tone: "bad", text: verdict.status === "wrong" ? `Not right yet: ${count}.` : `Not decided: ${count}, and a person has to look at it.` };
    },
    table({ state: now, found: { form: asked, verdict } }) {
      if (!isFresh(now, verdict) || !verdict.goals) {
        return { caption: "The answer, not checked yet", columns: ["field", "typed", "shape"], rows: asked.fields.map(({ name, shape }) => [name, now.answer[name] ?? "", shape ?? ""]) };
      }
      return {
        caption: "What was checked",
        columns: ["goal", "reached", "instances", "result"],
        rows: verdict.goals.map((goal) => [goal.name, goal.passed ? "yes" : goal.decided ? "no" : "not decided", goal.trials, goal.sentence]),
      };
    },
    python: ({ state: now, found: { form: asked } }) => pythonCode(now, asked),
    problem: ({ found: { form: asked } }) => asked.file,
  };
}

/** Whether the verdict is about what stands in the fields. */
function isFresh({ answer, checked }, verdict) {
  return verdict.status !== "none" && same(answer, checked);
}

function pythonCode({ problem, file }, asked) {
  const loaded = file === null ? `regard.problems.load(${JSON.stringify(problem)})` : `regard.problems.loads(${JSON.stringify(asked.file)})`;
  return `import regard

problem = ${loaded}
answer = ${asked.python}
verdict = regard.check(problem, answer)
print(verdict)
`;
}

/** The small picture on the first page. */
function card() {
  return s("svg", { viewBox: "0 0 140 86" },
    s("rect", { x: 22, y: 14, width: 96, height: 58, rx: 8, class: "regard-hull" }),
    [30, 42, 54].map((y, i) => s("line", { x1: 34, x2: [84, 72, 78][i], y1: y, y2: y, class: "regard-kernel-line" })),
    s("path", { d: "M86 46 l8 9 l16 -22", class: "regard-arrow" }));
}

const checkMyAnswer = { ...scene(build), card };
export default checkMyAnswer;
