"""The rules that lead from a part to the whole, in words."""

from __future__ import annotations

from regard.kinds.identity.solve.lifting import NoRule, Used
from regard.kinds.identity.solve.results import Derivation
from regard.language.formula.printing.latex import to_latex
from regard.language.formula.tree import Tree
from regard.solving.finding import Steps

ENDS = {
    "row": "row ${index}$ of what is ${tree}$ is not known",
    "rows": "the rows ${tree}$ do not make a matrix by these rules",
    "entry": "entry $i, j$ of what is ${tree}$ is not known",
    "inner": "${tree}$ is no product of a vector of $i$ and one of $j$",
    "summed row": "the sum over $j$ of ${tree}$ is no row by these rules",
    "sum": "the sum over $j$ of ${tree}$ is not known",
}


def derived(derivation: Derivation) -> Steps:
    """Say which rules were used, each once, and where they end."""
    steps = dict.fromkeys(step for used in derivation.used for step in _worded(used))
    return (*steps, *(_ended(derivation.end) if derivation.end else ()))


def _ended(end: NoRule) -> Steps:
    why = ENDS[end.part].format(tree=to_latex(end.tree), index=end.index)
    return ((f"**Rules.** The rules for rows and entries lead no further: {why}.", ""),)


def _worded(used: Used) -> Steps:
    """Say what a rule did."""
    t = [to_latex(tree) for tree in used.trees]
    row = rf"\text{{row }} {used.at or 'i'} \text{{ of }} "
    if used.rule == "row":
        return ((f"**Rows.** ${t[0]}^\\top$ is row ${used.at}$ of ${t[1]}$.", ""),)
    if used.rule == "entry":
        return ((f"**Entries.** ${t[0]}$ is entry $i, j$ of ${t[1]}$.", ""),)
    if used.rule == "right factor":
        sentence = f"**Matrix.** The same ${t[0]}$ stands on the right of every row."
        return ((sentence, rf"{row}{t[1]} = {t[2]}"),)
    if used.rule == "inner":
        sentence = (
            f"**Entries.** An entry of a product is a row times a column, and column $j$ of "
            f"${t[3]}$ is row $j$ "
            f"of ${t[4]}$."
        )
        whole, rows, turned, columns = used.trees[1:]
        return (
            (
                sentence,
                rf"{_at(whole, 'i,j')} = \sum_l {_at(rows, 'i,l')} {_at(turned, 'l,j')} ="
                rf" \sum_l {_at(rows, 'i,l')} {_at(columns, 'j,l')} = {t[0]}",
            ),
        )
    if used.rule == "mixed":
        sentence = (
            "**Rows.** A row of a product mixes the rows of its right factor, with the entries "
            "of that row "
            "of the left factor."
        )
        return (
            (
                sentence,
                rf"{row}{t[1]} = \sum_j {_at(used.trees[2], 'i,j')} \cdot"
                rf" \left(\text{{row }} j \text{{ of }} {t[3]}\right) ="
                rf" \sum_j \left({t[0]}\right)^\top",
            ),
        )
    if used.rule == "turned":
        total = r"\sum_j " if used.summed else ""
        return (
            (
                "**Transpose.** Transposing turns a product round: what acts on a column from "
                "the left acts on a "
                "row from the right.",
                rf"\left({t[0]}\right)^\top = {t[1]}",
            ),
            (
                f"**Rows.** The same ${t[2]}$ stands on the right of every row, so the rows can "
                f"be stacked.",
                rf"{row}{t[3]} = {total}{t[1]}",
            ),
        )
    sentences = {
        "outer": "**Sum.** A product of matrices is a sum of columns times rows, one for each $j$.",
        "trace": "**Trace.** The numbers on the diagonal of a product are added up by its trace.",
    }
    return ((sentences[used.rule], rf"{t[0]} = \sum_j {t[1]}"),)


def _at(tree: Tree, place: str) -> str:
    """Write an entry of a matrix."""
    text = to_latex(tree)
    return f"{text}_{{{place}}}" if len(text) == 1 else rf"\left({text}\right)_{{{place}}}"
