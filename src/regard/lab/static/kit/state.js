// The state of a scene: one object in one trait, never changed in place. Undo and reset live here.

/**
 * The state behind a model. `change(patch)` sets parts of it and can be undone; between `hold()` and
 * `release()` all changes are one step of undo, so that a drag is taken back as a whole.
 */
export function history(model, initial) {
  const past = [];
  const listeners = new Set();
  let held = null;
  let own = false;

  const get = () => ({ ...initial, ...model.get("state") });

  function put(next) {
    own = true;
    model.set("state", next);
    own = false;
    model.save_changes();
    for (const listener of listeners) listener(get());
  }

  function heard() {
    if (own) return; // set from Python, or by another view of the same model
    for (const listener of listeners) listener(get(), true);
  }

  function remember(state) {
    past.push(state);
    if (past.length > 200) past.shift();
  }

  model.on("change:state", heard);
  return {
    get,
    change(patch) {
      const before = get();
      const next = { ...before, ...patch };
      if (JSON.stringify(next) === JSON.stringify(before)) return;
      if (!held) remember(before);
      put(next);
    },
    hold() {
      held ??= get();
    },
    release() {
      if (held && JSON.stringify(held) !== JSON.stringify(get())) {
        remember(held);
        for (const listener of listeners) listener(get());
      }
      held = null;
    },
    undo() {
      if (past.length) put(past.pop());
    },
    reset() {
      this.change(initial);
    },
    /** Begin anew, with nothing to undo: the state that there is cannot be shown. */
    restart() {
      past.length = 0;
      held = null;
      put(initial);
    },
    canUndo: () => past.length > 0,
    canReset: () => JSON.stringify(get()) !== JSON.stringify({ ...get(), ...initial }),
    listen: (listener) => listeners.add(listener),
    end: () => model.off("change:state", heard),
  };
}
