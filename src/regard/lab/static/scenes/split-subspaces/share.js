// How the values are mixed: their average, or their sum.

import { h, uid } from "../../kit/dom.js";

/** Two radio buttons; `onchoose(share)`. */
export function shareChoice(onchoose) {
  const group = uid("share");
  const options = [[0.5, "average, share 1/2"], [1, "sum, share 1"]].map(([value, title]) => {
    const radio = h("input", { type: "radio", name: group, onchange: () => onchoose(value) });
    return { value, radio, node: h("label", {}, radio, h("span", { text: title })) };
  });
  const node = h("fieldset", { class: "regard-plain" }, h("legend", { class: "regard-label", text: "The mix" }),
    h("div", { class: "regard-choices" }, options.map((one) => one.node)));
  return {
    node,
    set(share) {
      for (const { value, radio } of options) radio.checked = value === share;
    },
  };
}
