// What is shown as Python and as a problem file.

import { literal } from "../../kit/copy.js";

const MATRICES = {
  separator: "M = design.M",
  onto_s: "M = np.outer(s, s) / (s @ s) / share  # onto the line of s: right only at right angles",
  off_t: "M = (np.eye(2) - np.outer(t, t) / (t @ t)) / share  # off the line of t: the same",
  undivided: "M = share * design.M  # forgets the share",
};

/** Runnable code that gives the numbers on the screen. */
export function pythonCode({ s, t, share, matrix, own }) {
  return `import numpy as np
import regard

s = np.array(${literal(s)})
t = np.array(${literal(t)})
share = ${literal(share)}
try:
    design = regard.design.separator(s[:, None], t[:, None], share=share)
except regard.InfeasibleDesign as impossible:
    print(impossible)
    design = impossible.best
${matrix === "own" ? `M = np.array(${literal(own)})  # of the answer` : MATRICES[matrix]}
c = share * (s + t)
print("M c   ", M @ c)
print("misses", np.linalg.norm(M @ c - s))
`;
}

/** A problem that asks for the matrix. */
export function problemFile({ s, t, share }) {
  return `schema = 1
id = "split-subspaces"
title = "Split two subspaces"
kind = "separator"
statement = "Attention has put out $c = ${share === 1 ? "v_s + v_t" : "(v_s + v_t)/2"}$, where $v_s$ is a multiple of the column $S$ and $v_t$ one of $T$. Find a matrix $M$ with $M c = v_s$, whatever the two values are."

[given]
d = 2
S = { law = "fixed", rows = [${literal(s)}] }
T = { law = "fixed", rows = [${literal(t)}] }
orthogonal = false
share = ${literal(share)}

[goal]
recover = "S"
`;
}
