// Formulas as MathML, and text with `$formulas$` and **bold** words in it.

const MATHML = "http://www.w3.org/1998/Math/MathML";
const ITALIC = "𝑎𝑏𝑐𝑑𝑒𝑓𝑔ℎ𝑖𝑗𝑘𝑙𝑚𝑛𝑜𝑝𝑞𝑟𝑠𝑡𝑢𝑣𝑤𝑥𝑦𝑧";

function m(tag, ...children) {
  const node = document.createElementNS(MATHML, tag);
  node.append(...children);
  return node;
}

/**
 * A formula such as "k_1", "q·k_{12}", "W_Q", "√d_k" or "x^2" as MathML. Letters, numbers, one sub- or
 * superscript each, a root of one of them, and signs; anything more is made by the engine, whose reports hold MathML.
 */
export function formula(text) {
  const row = m("mrow");
  const parts = text.matchAll(/(√?)(softmax|[A-Za-zα-ωΑ-Ω]|\d+(?:\.\d+)?|\S)(?:([_^])(\{[^}]*\}|[A-Za-z0-9]+))?/gu);
  for (const [, root, base, mark, raised] of parts) {
    let leaf = m(kind(base), base);
    if (base === "(" || base === ")") { // else it is spaced as a sign, and set large
      leaf.setAttribute("form", base === "(" ? "prefix" : "postfix");
      leaf.setAttribute("stretchy", "false");
    }
    if (mark) {
      const inner = raised.replace(/[{}]/g, "");
      leaf = m(mark === "_" ? "msub" : "msup", leaf, m(/^\d+$/.test(inner) ? "mn" : "mi", inner));
    }
    row.append(root ? m("msqrt", leaf) : leaf);
  }
  return m("math", row);
}

function kind(base) {
  if (/\d/.test(base)) return "mn";
  return /[A-Za-zα-ωΑ-Ω]/.test(base) ? "mi" : "mo";
}

/** Nodes of a text with `$formulas$` and `**bold**` words. */
export function words(text) {
  return text.split(/(\$[^$]+\$|\*\*[^*]+\*\*)/).filter(Boolean).map((part) => {
    if (part.startsWith("$")) return formula(part.slice(1, -1));
    if (!part.startsWith("**")) return part;
    const bold = document.createElement("b");
    bold.append(...words(part.slice(2, -2)));
    return bold;
  });
}

const BELOW = { "ₐ": "a", "ₛ": "s", "ₜ": "t" };

/** Nodes of a label, in which names such as "kₐ", and letters that stand alone, are formulas. */
export function typeset(label) {
  const named = label.replace(/([A-Za-z])([ₐₛₜ])/g, (_, base, below) => `$${base}_${BELOW[below]}$`);
  return words(named.replace(/(^| )([B-HJ-Zb-zα-ω])(?=$|[ :,])/g, "$1$$$2$$"));
}

/** A name such as "k_1" as it is said aloud and in labels: "k 1". */
export function spoken(name) {
  return name.replace("_", " ");
}

/** A name such as "k_1" for a text of SVG: the letter of mathematics, and what stands below. */
export function letter(name) {
  const [base, below = ""] = name.split("_").map((part) => (/^[a-z]$/.test(part) ? [...ITALIC][part.charCodeAt(0) - 97] : part));
  return { base, below };
}
