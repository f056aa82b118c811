// Questions to the engine. One state is on its way, the newest waits, those between are dropped; an
// answer is shown only with the state that it answers.

const PATIENCE = 300; // ms after which a question is taken back if a newer one waits

/** The questions of a state: `asks` of the scene says which parts of the state are arguments. */
export function questionsOf(asks, state) {
  return Object.entries(asks).map(([label, { question, from }]) => {
    const given = from.filter((part) => state[part] !== null && state[part] !== undefined);
    return { label, ask: question, arguments: Object.fromEntries(given.map((p) => [p, state[p]])) };
  });
}

/** Return `ask(state)`; `show(state, found, problems)` is called with answers and sentences by label. */
export function asker(model, asks, show, busy) {
  const known = {}; // the last answer of each label, with its question
  let flying = null;
  let waiting = null;
  let timer = 0;

  function heard(message) {
    const part = flying?.parts.get(message.id);
    if (!part) return; // an answer that nobody waits for any more
    flying.parts.delete(message.id);
    known[part.label] = { key: part.key, message };
    if (flying.parts.size === 0) land();
  }

  function land() {
    const { state } = flying;
    clearTimeout(timer);
    flying = null;
    const found = {};
    const problems = {};
    for (const [label, { message }] of Object.entries(known)) {
      if ("answer" in message) found[label] = message.answer;
      else problems[label] = message.problem;
    }
    show(state, found, problems);
    if (waiting) next();
    else busy(false);
  }

  function next() {
    const state = waiting;
    waiting = null;
    flying = { state, parts: new Map() };
    const sent = [];
    for (const { label, ask, arguments: given } of questionsOf(asks, state)) {
      const key = JSON.stringify([ask, given]);
      if (known[label]?.key === key) continue;
      const id = `${label}-${Math.random().toString(36).slice(2)}`;
      flying.parts.set(id, { label, key });
      sent.push({ id, ask, arguments: given });
    }
    if (!sent.length) land();
    else {
      timer = setTimeout(slow, PATIENCE);
      for (const message of sent) model.send(message);
    }
  }

  function slow() {
    busy(true);
    flying.late = true;
    if (!waiting) return;
    for (const id of flying.parts.keys()) model.send({ id, cancel: true });
    next();
  }

  const listener = (message) => heard(message);
  model.on("msg:custom", listener);
  return {
    ask(state) {
      waiting = state;
      if (!flying) next();
      else if (flying.late) slow();
    },
    end: () => {
      clearTimeout(timer);
      model.off("msg:custom", listener);
    },
  };
}
