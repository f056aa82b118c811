// The first page: a card for each scene.

import { h } from "./kit/dom.js";

/** The cards; `address(name)` is where a scene is, `pictures` has a small drawing for some. */
export function home(scenes, address, pictures) {
  const cards = scenes.map(({ name, title, sentence }) =>
    h("li", {}, h("a", { class: "regard-card regard-entry", href: address(name) },
      h("span", { class: "regard-entry-picture", "aria-hidden": "true" }, pictures[name]?.() ?? null),
      h("b", { text: title }), h("span", { text: sentence }))));
  return h("section", { class: "regard-home", "aria-label": "Scenes" },
    h("h1", { class: "regard-headline", text: "Attention, to see, drag and break." }),
    h("p", { class: "regard-lead", text: "Every number is computed and checked by regard as you move things." }),
    h("ul", { class: "regard-entries" }, cards));
}
