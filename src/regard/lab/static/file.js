// A saved file as a host: the answers are in it, and there is no engine.

import { home } from "./home.js";
import { h } from "./kit/dom.js";

const NEEDS = "This needs the engine. Start `regard lab` and move it there; undo or reset go back.";

/** A model that answers what was recorded. */
function savedModel({ about, state, records }) {
  const traits = { about, state, live: false };
  const listeners = {};
  const known = new Map(records.map((one) => [JSON.stringify([one.ask, one.arguments]), one]));
  const tell = (name, ...rest) => { for (const listener of [...(listeners[name] ?? [])]) listener(...rest); };
  return {
    get: (name) => traits[name],
    set(name, value) {
      traits[name] = value;
      tell(`change:${name}`, value);
    },
    save_changes() {},
    on: (name, listener) => (listeners[name] ??= new Set()).add(listener),
    off: (name, listener) => listeners[name]?.delete(listener),
    send({ id, ask, arguments: given, cancel }) {
      if (cancel) return;
      const found = known.get(JSON.stringify([ask, given])) ?? { problem: NEEDS };
      const said = "answer" in found ? { answer: found.answer } : { problem: found.problem };
      queueMicrotask(() => tell("msg:custom", { id, ...said }, []));
    },
  };
}

function start(modules) {
  const saved = JSON.parse(document.getElementById("saved").textContent);
  const place = document.getElementById("lab");
  const main = h("main", { class: "regard-main" });
  const front = saved.length > 1 ? h("a", { href: "#", text: "regard lab" }) : h("span", { text: "regard lab" });
  place.append(h("header", { class: "regard-header" }, front), main);
  let clean = () => {};

  function route() {
    clean();
    main.replaceChildren();
    const name = location.hash.slice(1);
    const one = saved.find(({ about }) => about.name === name) ?? (saved.length === 1 ? saved[0] : null);
    if (one) {
      const { render } = modules[`scenes/${one.about.name}.js`];
      clean = render({ model: savedModel(one), el: main, signal: new AbortController().signal });
    } else {
      clean = () => {};
      const pictures = Object.fromEntries(saved.map(({ about }) => [about.name, modules[`scenes/${about.name}.js`].card]));
      main.append(home(saved.map(({ about }) => about), (scene) => `#${scene}`, pictures));
    }
  }

  window.addEventListener("hashchange", route);
  route();
}

export default start;
