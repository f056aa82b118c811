// The problem and the answer: choosing, reading, typing.

import { fill, h, uid } from "../../kit/dom.js";
import { words } from "../../kit/math.js";

const LARGEST = 20000; // characters of a file, as the engine takes them

/** Nodes of HTML that the engine made. */
export function parsed(html) {
  const found = new DOMParser().parseFromString(html, "text/html");
  return [...found.body.childNodes].map((node) => document.adoptNode(node));
}

/** A list of all problems by collection, and a button that opens a file. */
export function chooser({ onchoose, onfile, announce }) {
  const id = uid("problem");
  const select = h("select", { id, class: "regard-select", onchange: () => { if (select.value) onchoose(select.value); } });
  const file = h("input", { type: "file", accept: ".toml,.json", hidden: true, "aria-label": "A problem file" });
  const open = h("button", { type: "button", class: "regard-button", text: "Open a file …", onclick: () => file.click() });
  file.addEventListener("change", async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    if (chosen.size > LARGEST) announce("The file is too large for a problem: at most 20 kB.");
    else onfile(await chosen.text());
    file.value = "";
  });
  const node = h("div", { class: "regard-choose" }, h("div", {}, h("label", { class: "regard-label", for: id, text: "Problem" }), select), open, file);
  return {
    node,
    show({ collections }, { problem, file: text }, title) {
      fill(select, [collections, text === null ? null : title], () => [
        text === null ? null : h("option", { value: "", text: `File: ${title}` }),
        ...collections.map((one) => h("optgroup", { label: one.title }, one.problems.map((part) => h("option", { value: part.id, text: `${part.label} ${part.title}` })))),
      ].filter(Boolean));
      select.value = text === null ? problem : "";
    },
  };
}

/** The fields of an answer; `oninput(name, text)` while one is typed, `oncheck()` on Enter. */
export function answerForm({ oninput, oncheck, onhold, onrelease }) {
  const rows = h("div", { class: "regard-task" });
  const button = h("button", { type: "button", class: "regard-button regard-primary", text: "Check", onclick: oncheck });
  const node = h("div", { class: "regard-answers" }, rows, h("div", {}, button));
  let boxes = {};

  function row({ name, what, example, optional }) {
    const id = uid("field");
    const input = h("input", { type: "text", id, class: "regard-number regard-typed", placeholder: example, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 2000 });
    const set = h("div", { class: "regard-set", "aria-live": "polite" });
    input.addEventListener("focus", onhold);
    input.addEventListener("blur", onrelease);
    input.addEventListener("input", () => oninput(name, input.value));
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") oncheck(); });
    boxes[name] = { input, set };
    return h("div", { class: "regard-answer" }, h("label", { class: "regard-label", for: id }, h("b", { text: name }), ` · ${what}${optional && !what.includes("left out") ? " (may be left out)" : ""}`), input, set);
  }

  return {
    node,
    /** What is typed is shown at once; a field that somebody types into is left alone. */
    typed(answer) {
      for (const [name, { input }] of Object.entries(boxes)) {
        const text = answer[name] ?? "";
        if (input.value !== text && document.activeElement !== input) input.value = text;
      }
    },
    show({ id, fields }, answer) {
      const key = [id, fields.map(({ name, what, example, optional }) => [name, what, example, optional])];
      if (rows.dataset.key !== JSON.stringify(key)) {
        rows.dataset.key = JSON.stringify(key);
        boxes = {};
        rows.replaceChildren(...fields.map(row));
      }
      this.typed(answer);
      for (const { name, html, shape, error } of fields) {
        const { input, set } = boxes[name];
        input.setAttribute("aria-invalid", String(error !== null));
        set.dataset.tone = error === null ? "" : "bad";
        fill(set, [html, shape, error], () => (error !== null ? [error] : [...(html ? parsed(html) : []), ...(shape ? [h("span", {}, words(shape))] : [])]));
      }
    },
  };
}
