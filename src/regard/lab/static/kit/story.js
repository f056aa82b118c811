// The story of a scene: a few steps, each a text and a state that the picture glides to.

import { fill, h, set, still } from "./dom.js";
import { words } from "./math.js";

const GLIDE = 700; // ms

/**
 * A card with Back, dots and Next. `go(step)` is told which step is shown; step 0 is where it begins.
 * `follow(states, state)` says which state is seen: the card turns to the step that it is, or says that
 * the step was left, so that no sentence stands beside a picture that it is not about.
 */
export function story(steps, go) {
  let now = 0;
  let left = false;
  const text = h("p", { class: "regard-story-text" });
  const count = h("p", { class: "regard-label regard-story-count", "aria-live": "polite" });
  const dots = steps.map(() => h("span", { class: "regard-dot" }));
  const back = h("button", { type: "button", class: "regard-button", text: "Back", onclick: () => to(now - 1) });
  const next = h("button", { type: "button", class: "regard-button regard-primary", text: "Next", onclick: () => to(now + 1) });
  const row = h("div", { class: "regard-story-row" }, back, h("span", { class: "regard-dots", "aria-hidden": "true" }, dots), next);
  const node = h("section", { class: "regard-card regard-story", "aria-label": "Story" }, count, text, row);

  function show() {
    fill(text, now, () => words(steps[now].text));
    set(count, { text: `Step ${now + 1} of ${steps.length}${left ? ", before you moved on" : ""}` });
    node.classList.toggle("regard-left", left);
    dots.forEach((dot, i) => dot.classList.toggle("regard-now", i === now));
    back.disabled = now === 0;
    next.disabled = now === steps.length - 1;
  }

  function to(step) {
    now = Math.max(0, Math.min(steps.length - 1, step));
    left = false;
    show();
    if (document.activeElement?.disabled) (now ? back : next).focus();
    go(now);
  }

  show();
  return {
    node,
    follow(states, state) {
      const same = (one) => Object.entries(one).every(([part, value]) => JSON.stringify(value) === JSON.stringify(state[part]));
      const step = same(states[now]) ? now : states.findIndex(same);
      if (step === (left ? -1 : now)) return;
      left = step < 0;
      now = left ? now : step;
      show();
    },
  };
}

/**
 * Move numbers from one state to another within 700 ms, or at once where motion is unwanted. Only the
 * parts named are moved through what lies between; the others change at the start.
 */
export function glide(from, to, parts, put, quick = still()) {
  const moving = parts.filter((part) => alike(from[part], to[part]));
  if (quick || !moving.length) {
    put(to, true);
    return () => {};
  }
  const begun = performance.now();
  let frame = requestAnimationFrame(step);
  function step(time) {
    const t = Math.min(1, Math.max(0, (time - begun) / GLIDE));
    const eased = t * t * (3 - 2 * t);
    const between = { ...to };
    for (const part of moving) between[part] = mix(from[part], to[part], eased);
    put(t === 1 ? to : between, t === 1);
    if (t < 1) frame = requestAnimationFrame(step);
  }
  return () => cancelAnimationFrame(frame);
}

function alike(a, b) {
  if (JSON.stringify(a) === JSON.stringify(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((x, i) => x === b[i] || shaped(x, b[i]));
  return typeof a === "number" && typeof b === "number";
}

function shaped(a, b) {
  return Array.isArray(a) ? Array.isArray(b) && a.length === b.length : typeof a === typeof b;
}

function mix(a, b, t) {
  return Array.isArray(a) ? a.map((x, i) => mix(x, b[i], t)) : Number((a + (b - a) * t).toFixed(4));
}
