// Elements of HTML and SVG. No `style` attributes: the page's policy forbids them; use `vars`.

const SVG = "http://www.w3.org/2000/svg";

/** Give an element attributes: `on…` listeners, `text`, `vars` (CSS properties), the rest as they are. */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") {
      if (node.textContent !== value) node.textContent = value;
    } else if (name === "vars") {
      for (const [property, v] of Object.entries(value)) node.style.setProperty(property, v);
    } else if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value === null || value === undefined || value === false) {
      node.removeAttribute(name);
    } else if (node.getAttribute(name) !== String(value)) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  return node;
}

/** An HTML element. */
export function h(tag, attributes = {}, ...children) {
  const node = set(document.createElement(tag), attributes);
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** An SVG element. */
export function s(tag, attributes = {}, ...children) {
  const node = set(document.createElementNS(SVG, tag), attributes);
  node.append(...children.flat());
  return node;
}

/** Replace the children of a node, but only if `key` differs from last time: text costs time. */
export function fill(node, key, make) {
  const text = JSON.stringify(key);
  if (node.regardKey === text) return;
  node.regardKey = text;
  node.replaceChildren(...[make()].flat(Infinity));
}

/** An id that no other view has. */
export function uid(prefix) {
  return `regard-${prefix}-${Math.random().toString(36).slice(2, 10)}`;
}

/** The width of a drawing as it is laid out, from `width` on; `onresize` is called when it changes. */
export function widthOf(svg, width, { onresize, signal }) {
  const box = { width };
  const watch = new ResizeObserver(() => {
    if (!svg.clientWidth || svg.clientWidth === box.width) return;
    box.width = svg.clientWidth;
    onresize();
  });
  watch.observe(svg);
  signal.addEventListener("abort", () => watch.disconnect());
  return box;
}

/** Whether moving pictures are unwanted. */
export function still() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
