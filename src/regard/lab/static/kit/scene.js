// What every scene has: headline, picture, story, numbers, undo, reset, the table, and copying.

import { asker } from "./ask.js";
import { copyButton } from "./copy.js";
import { fill, h } from "./dom.js";
import { words } from "./math.js";
import { history } from "./state.js";
import { glide, story } from "./story.js";
import { tableFold } from "./table.js";

const ANEW = "The state that was asked for is none of this scene, so it begins anew.";

/**
 * A scene in the form of an anywidget front end. `build(view)` puts nodes into `view.picture` and
 * `view.numbers` and returns functions of `{ state, found }` (found: the answers by label):
 * `show` draws, `headline` returns `{ text, tone }`, `table` the table behind the picture, `python`
 * and `problem` texts to copy (null: there is none now). `view` also has `about`, `state()`,
 * `change(patch)`, `hold()`, `release()`, `announce(sentence)`, `redraw()`, `signal` and `paged` (whether
 * other scenes have addresses, as on the page).
 */
export function scene(build) {
  function render({ model, el, signal }) {
    const ended = new AbortController();
    signal?.addEventListener("abort", () => ended.abort());
    const about = model.get("about");
    const past = history(model, about.state);
    const parts = chrome(about, model.get("live") !== false, model.get("back"));
    let stop = () => {}; // the story, where it is
    let gliding = false;
    let shown = null;
    let outside = true; // the state was not made by a hand: an address or Python gave it
    let begunAnew = false; // because it could not be shown

    const view = {
      about,
      picture: parts.picture,
      numbers: parts.numbers,
      signal: ended.signal,
      paged: Boolean(model.get("link")),
      state: past.get,
      change(patch) {
        stop();
        past.change(patch);
      },
      hold() {
        stop();
        past.hold();
      },
      release: past.release,
      announce(sentence) {
        parts.said.textContent = sentence;
      },
      redraw() {
        if (shown) scene_.show(shown);
      },
    };
    const scene_ = build(view);
    const engine = asker(model, about.asks, answered, (busy) => el.classList.toggle("regard-busy", busy));

    /** Draw; if a state that came from outside cannot be shown, begin anew and say so. */
    function guarded(state, draw) {
      try {
        draw();
        return true;
      } catch (error) {
        if (!outside || JSON.stringify(state) === JSON.stringify(about.state)) throw error;
        begunAnew = true;
        past.restart();
        return false;
      }
    }

    function answered(state, found, problems) {
      const [problem] = [...Object.values(problems), ...(begunAnew ? [ANEW] : [])];
      parts.problem.hidden = !problem;
      parts.problem.textContent = problem ?? "";
      el.classList.toggle("regard-stale", Boolean(problem) && problem !== ANEW);
      if (!Object.keys(problems).length && !guarded(state, () => draw({ state, found }))) return;
      el.dataset.answered = JSON.stringify(state);
    }

    function draw(next) {
      scene_.show(next);
      shown = next;
      const { text, tone = "" } = scene_.headline(shown);
      fill(parts.headline, [text, tone], () => {
        parts.headline.dataset.tone = tone;
        return words(text);
      });
      parts.fold.show(scene_.table(shown));
      for (const [button, copied] of copies) button.hidden = copied() === null;
    }

    const steps = about.story.map((step) => ({ ...about.state, ...step.state }));
    const told = story(about.story, (step) => {
      stop();
      past.hold();
      gliding = true;
      const end = () => {
        gliding = false;
        stop = () => {};
        past.release(); // what was shown so far is one step of undo
      };
      const cancel = glide(past.get(), steps[step], about.glide ?? [], (state, last) => {
        past.change(state);
        if (last) end();
      }, model.get("live") === false ? true : undefined);
      if (gliding) stop = () => { cancel(); end(); };
    });
    parts.story.append(model.get("back") ? h("details", { class: "regard-fold" }, h("summary", { text: "The story of this scene" }), told.node) : told.node);

    const copies = [
      [copyButton("Copy as Python", () => scene_.python(shown), view.announce), () => scene_.python?.(shown) ?? null],
      [copyButton("Copy as problem file", () => scene_.problem(shown), view.announce), () => scene_.problem?.(shown) ?? null],
    ];
    const link = model.get("link");
    if (link) copies.push([copyButton("Copy link", () => link(past.get()), view.announce), () => ""]);
    parts.copies.append(...copies.map(([button]) => button));

    parts.undo.addEventListener("click", () => { stop(); past.undo(); });
    parts.reset.addEventListener("click", () => { stop(); past.reset(); });
    function changed(state, given = false) {
      outside = given;
      if (JSON.stringify(state) !== JSON.stringify(about.state)) begunAnew = false;
      parts.undo.disabled = !past.canUndo();
      parts.reset.disabled = !past.canReset();
      if (!gliding) told.follow(steps, state);
      el.dataset.asked = JSON.stringify(state);
      if (!guarded(state, () => scene_.controls?.(state))) return;
      engine.ask(state);
    }
    past.listen(changed);
    el.classList.add("regard");
    el.append(parts.node);
    changed(past.get(), true);
    return () => {
      stop();
      ended.abort();
      engine.end();
      past.end();
      parts.node.remove();
    };
  }
  return { render };
}

function chrome(about, live, back) {
  const button = (text) => h("button", { type: "button", class: "regard-link", text });
  const parts = {
    undo: button("Undo"),
    reset: button("Reset"),
    headline: h("p", { class: "regard-headline", role: "status", "aria-live": "polite" }),
    problem: h("p", { class: "regard-problem", role: "alert", hidden: true }),
    picture: h("div", { class: "regard-picture" }),
    story: h("div", { class: "regard-story-place" }),
    numbers: h("div", { class: "regard-numbers" }),
    copies: h("div", { class: "regard-copies" }),
    said: h("p", { class: "regard-hidden", role: "status" }),
    fold: tableFold("The picture as a table"),
  };
  const note = live ? null : h("p", { class: "regard-note" }, words(
    "A saved page: the story, undo and reset work here. To drag, type or slide, the engine is needed: start **regard lab**."));
  if (back) {
    const played = h("p", {}, words("**This is the case in which your answer fails.** Drag, type or slide to see what would mend it."));
    parts.story.append(h("div", { class: "regard-card regard-played" }, played, h("a", { class: "regard-button", href: back, text: "Back to the answer" })));
  }
  parts.node = h("section", { class: "regard-scene", "aria-label": about.title },
    h("div", { class: "regard-head" }, h("h1", { class: "regard-eyebrow", text: about.title }), h("div", { class: "regard-actions" }, parts.undo, parts.reset)),
    parts.headline, parts.problem, note,
    h("div", { class: about.tall ? "regard-columns regard-tall" : "regard-columns" }, parts.picture, h("div", { class: "regard-side" }, parts.story, parts.numbers)),
    h("div", { class: "regard-foot" }, parts.copies, parts.fold.node), parts.said);
  return parts;
}
