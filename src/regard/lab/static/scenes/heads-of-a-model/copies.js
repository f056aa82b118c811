// What is shown as Python, and as a problem file.

/** Runnable code that reads the same head of the same model. */
export function pythonCode({ read }, { heads, head }) {
  const tokens = read === "tokens";
  const drawn = `model_tokens = np.random.default_rng(0).choice(model.vocabulary, ${heads.tokens / 2}, replace=model.vocabulary < ${heads.tokens / 2})
found = regard.models.inspect(model, np.tile(model_tokens, 2))`;
  return `import numpy as np

import regard

model = ${heads.path === null ? "regard.lab.demonstration_model()" : `regard.models.load(${JSON.stringify(heads.path)})`}
${tokens ? drawn : "found = regard.models.inspect(model)"}
head = found.head(${head.name.replace(".", ", ")})
weights = head.${tokens ? "seen_pattern" : "pattern"}
print(head.name, head.label, head.evidence)
print(np.round(weights, 3))
`;
}

/** A problem that asks for a head of this kind: built by hand, it does what this one has learned. */
export function problemFile({ name, kind, T }) {
  if (kind === "induction") return induction(name);
  return T !== null && T >= 1 ? stepsBack(name, T) : null;
}

function stepsBack(name, T) {
  return `schema = 1
id = "head-that-looks-back"
title = "A head that looks ${T} back, as head ${name} does"
kind = "offset"
statement = "Which blocks of $A = W^K (W^Q)^\\\\top$ make the attention of every query largest at the key exactly $T$ steps before it? Answer with \`block\` and \`off_block\`."

[given]
d_model = 32
n = ${Math.max(32, T + 2)}
T = ${T}

[goal]
tolerance = 0.01
`;
}

function induction(name) {
  return `schema = 1
id = "head-that-continues"
title = "An induction head, as head ${name} is"
kind = "layers"
statement = "Tokens, positions and a second room have length 1 and are at right angles. Find the matrices of two layers that bring the token that followed the same token before, in every sequence of up to five."

[given]
vocabulary = ["a", "b", "c"]
length = 5

[goal]
bring = "what followed"
tolerance = 0.01
`;
}
