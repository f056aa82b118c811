// The page: the header, and the first page or the scene that the address names.

import { home } from "./home.js";
import { pageModel } from "./host.js";
import { h } from "./kit/dom.js";

const place = document.getElementById("lab");
const answer = await fetch("/scenes.json");
const scenes = await answer.json();
const wanted = location.pathname.match(/^\/scene\/([\w-]+)$/)?.[1];
const about = scenes.find(({ name }) => name === wanted);
const main = h("main", { class: "regard-main" });
place.append(h("header", { class: "regard-header" }, h("a", { href: "/", text: "regard lab" })), main);

if (about) {
  document.title = `${about.title} · regard lab`;
  const module = await import(`/static/scenes/${about.name}.js`);
  module.default.render({ model: pageModel(about), el: main, signal: new AbortController().signal });
} else {
  const pictures = {};
  for (const { name } of scenes) pictures[name] = (await import(`/static/scenes/${name}.js`)).default.card;
  main.append(home(scenes, (name) => `/scene/${name}`, pictures));
}
