// The page as a host: a model over one socket, with the state in the address.

const GONE = "The lab has stopped. Start it again with `regard lab`.";

/** A model as anywidget has it, for a scene on the page. */
export function pageModel(about) {
  const traits = { about, state: { ...about.state, ...fromAddress(about) }, live: true, link, back: backToTheAnswer() };
  const listeners = {};
  const queue = [];
  let socket = null;
  let timer = 0;

  function tell(name, ...rest) {
    for (const listener of [...(listeners[name] ?? [])]) listener(...rest);
  }

  function open() {
    socket = new WebSocket(`ws://${location.host}/socket`);
    socket.addEventListener("open", () => {
      for (const message of queue.splice(0)) socket.send(JSON.stringify(message));
    });
    socket.addEventListener("message", (event) => tell("msg:custom", JSON.parse(event.data), []));
    socket.addEventListener("close", () => {
      for (const { id } of queue.splice(0)) tell("msg:custom", { id, problem: GONE }, []);
      for (const id of unanswered) tell("msg:custom", { id, problem: GONE }, []);
      unanswered.clear();
      socket = null;
    });
  }

  const unanswered = new Set();
  (listeners["msg:custom"] ??= new Set()).add(({ id }) => unanswered.delete(id));

  function link(state) {
    const changed = Object.entries(state).filter(([part, value]) =>
      part in about.state && JSON.stringify(value) !== JSON.stringify(about.state[part]));
    const query = changed.map(([part, value]) => `${part}=${encodeURIComponent(JSON.stringify(value))}`);
    return `${location.origin}${location.pathname}${query.length ? `?${query.join("&")}` : ""}`;
  }

  open();
  return {
    get: (name) => traits[name],
    set(name, value) {
      traits[name] = value;
      tell(`change:${name}`, value);
    },
    save_changes() {
      clearTimeout(timer); // browsers limit how often the address may change
      timer = setTimeout(() => window.history.replaceState(null, "", link(traits.state)), 120);
    },
    on: (name, listener) => (listeners[name] ??= new Set()).add(listener),
    off: (name, listener) => listeners[name]?.delete(listener),
    send(message) {
      if (!message.cancel) unanswered.add(message.id);
      if (!socket) open();
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
      else queue.push(message);
    },
  };
}

/** The parts of the state that the address holds; what is not JSON of the same sort is left out. */
function fromAddress(about) {
  const found = {};
  for (const [part, text] of new URLSearchParams(location.search)) {
    if (!(part in about.state)) continue;
    try {
      const value = JSON.parse(text);
      if (alike(value, about.state[part])) found[part] = value;
    } catch { /* not ours */ }
  }
  return found;
}

/** Where the answer stands whose counterexample is played here, or null. */
function backToTheAnswer() {
  try {
    const { problem, file, answer, checked } = JSON.parse(new URLSearchParams(location.search).get("played"));
    const parts = Object.entries({ problem, file, answer, checked }).filter(([, value]) => value);
    return `/scene/check-my-answer?${parts.map(([part, value]) => `${part}=${encodeURIComponent(JSON.stringify(value))}`).join("&")}`;
  } catch {
    return null;
  }
}

/** Whether a value is made as another is: lists of lists stay such, and are not empty. */
function alike(value, model) {
  if (model === null) return true;
  if (!Array.isArray(model)) return typeof value === typeof model && !Array.isArray(value) && value !== null;
  return Array.isArray(value) && value.length > 0 && value.every((one) => alikeInside(one, model[0]));
}

/** Inside a list 1 and "1/3" are both numbers. */
function alikeInside(value, model) {
  if (Array.isArray(model)) return alike(value, model);
  return ["number", "string"].includes(typeof value);
}
