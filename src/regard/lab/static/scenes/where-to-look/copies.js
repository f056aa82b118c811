// What is shown as Python and as a problem file.

import { literal } from "../../kit/copy.js";

/** Runnable code that gives the numbers on the screen. */
export function pythonCode({ keys, target, factor, own }) {
  return `import numpy as np
import regard

keys = np.array(${literal(keys)})
target = ${literal(target)}  # the weight wanted of each key
try:
    design = regard.design.query(keys, target)
except regard.InfeasibleDesign as impossible:
    print(impossible)
    design = impossible.best  # the closest that can be reached
query = ${literal(factor)} * ${own === null ? "design.query" : `np.array(${literal(own)})  # as it was given`}
_, weights = regard.attention_with_weights(query[None], keys, keys, scale=1.0)
print("query  ", query)
print("weights", weights[0])
`;
}

/** A problem that asks for this query, for regard solve and regard check. */
export function problemFile({ keys, target }) {
  const name = (i) => (keys.length <= 26 ? String.fromCharCode(97 + i) : `n${i + 1}`);
  const names = keys.map((_, i) => `${name(i)} = ${i}`).join(", ");
  const weights = target.flatMap((share, i) => (share > 0 ? [`${name(i)} = ${literal(share)}`] : [])).join(", ");
  return `schema = 1
id = "where-to-look"
title = "Where to look"
kind = "query"
statement = "The keys are given as rows of numbers. Find a query $q$ with the weights asked for."

[given]
scale = 1.0
keys = ${literal(keys)}
names = { ${names} }

[goal]
weights = { ${weights} }
tolerance = 0.001
`;
}
