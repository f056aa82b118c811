// What is shown as Python and as a problem file.

import { literal } from "../../kit/copy.js";
import { placeOf } from "./places.js";

/** Runnable code that gives the numbers on the screen, exactly. */
export function pythonCode({ x, W_Q, W_K, W_V, scale, is_causal, mask, window, key_lengths, entry }) {
  const masks = [is_causal ? "is_causal=True" : "", window ? `window=(${window.join(", ")})` : "", key_lengths !== null ? `key_lengths=${key_lengths}` : "", mask ? `mask=${exact(mask)}` : ""];
  const options = ["", ...masks.filter(Boolean)].join(", ");
  return `import regard

X = ${literal(x)}
W_Q = ${literal(W_Q)}
W_K = ${literal(W_K)}
W_V = ${literal(W_V)}
found = regard.trace(X, W_Q, W_K, W_V, scale=${literal(scale)}${options})
print(found.entry("${entry}"))
print("weights", found.weights_float)
print("outputs", found.outputs_float)
`;
}

/** A problem that asks for the weights and the output of the token that is looked at. */
export function problemFile({ x, W_Q, W_K, W_V, scale, is_causal, mask, window, key_lengths, entry }) {
  const masks = [is_causal ? "is_causal = true" : "", window ? `window = [${window.join(", ")}]` : "", key_lengths !== null ? `key_length = ${key_lengths}` : "", mask ? `mask = ${exact(mask)}` : ""];
  const token = placeOf(entry).i + 1;
  return `schema = 1
id = "step-by-step"
title = "Step by step"
kind = "compute"
statement = "One head with the tokens, the rows of $X$, and the matrices given. Compute the weights and the output of token ${token}."

[given]
tokens = ${exact(x)}
W_Q = ${exact(W_Q)}
W_K = ${exact(W_K)}
W_V = ${exact(W_V)}
${[`scale = ${JSON.stringify(scale)}`, ...masks.filter(Boolean)].join("\n")}

[goal]
find = ["a_${token}", "c_${token}"]
tolerance = 0.001
`;
}

/** Whole numbers without a point, the rest as text, as problem files have them. */
function exact(rows) {
  const cells = (row) => row.map((cell) => (typeof cell === "number" ? String(cell) : JSON.stringify(cell))).join(", ");
  return `[${rows.map((row) => `[${cells(row)}]`).join(", ")}]`;
}
