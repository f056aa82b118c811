// What is shown as Python.

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
