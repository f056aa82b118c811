// What is shown as Python and as a problem file.

import { literal } from "../../kit/copy.js";

const flag = (value) => (value ? "True" : "False");

/** The call that designs this head. */
function call({ T, B, d_model, n, method, signed, scale, d_k, phase }) {
  if (B === null) return `regard.design.offset(${T}, ${d_model}, n=${n}, d_k=${d_k ?? "None"}, scale=${literal(scale)})`;
  const way = method === "zero" ? `phase=${literal(phase)}` : `signed=${flag(signed)}`;
  return `regard.design.band(\n        ${T}, ${literal(B)}, ${d_model}, n=${n}, method="${method}", ${way}, scale=${literal(scale)}\n    )`;
}

/** Runnable code that gives the numbers on the screen. */
export function pythonCode(state) {
  const { d_model, n, content } = state;
  return `import numpy as np
import regard

try:
    design = ${call(state)}
except (regard.InfeasibleDesign, regard.UndecidedDesign) as refusal:
    print(refusal)
    design = refusal.best  # the closest that was found
x = regard.sinusoidal(${n}, ${d_model})
${content === 0 ? "" : `directions = np.random.default_rng(0).standard_normal((${n}, ${d_model}))
directions /= np.linalg.norm(directions, axis=1, keepdims=True)
x = x + ${literal(content)} * np.sqrt(${d_model} / 2) * directions  # content, in lengths of a position
`}head = design.head()
_, weights = regard.attention_with_weights(x @ head.W_Q, x @ head.W_K, x, scale=design.scale)
print("blocks kept", design.kept)
print("gap        ", design.gap)
print("weights    ", np.round(weights, 3))
`;
}

/** The same task for regard solve and regard check; content has no problem of its own. */
export function problemFile({ T, B, d_model, n, method, phase, content }) {
  if (content > 0 || (B !== null && method !== "zero")) return null;
  const band = B !== null;
  const statement = band
    ? "Begin with the head that looks back exactly $T$ steps. Which blocks are zeroed so that every key with $T - B/2 \\\\le t - \\\\tau \\\\le T + B/2$ will do? Answer with `zeroed`."
    : "Which blocks of $A = W^K (W^Q)^\\\\top$ make the attention of every query largest at the key exactly $T$ steps before it? Answer with `block` and `off_block`.";
  return `schema = 1
id = "positions"
title = "Look back ${band ? "roughly" : "exactly"} T steps"
kind = "${band ? "band" : "offset"}"
statement = "${statement}"

[given]
d_model = ${d_model}
n = ${n}
T = ${T}
${band ? `B = ${B}\n` : ""}
[goal]
${band ? `phase = ${literal(phase)}` : "tolerance = 0.01"}
`;
}
