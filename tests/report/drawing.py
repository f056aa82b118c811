"""Reports of any content, drawn by Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from regard.report import (
    Block,
    Code,
    Facts,
    Heading,
    Math,
    Plot,
    Prose,
    Report,
    Series,
    Steps,
    Table,
    Text,
)

# Every character there is; in particular control characters, lone surrogates and wide ones.
ANY_TEXT = st.text(
    st.characters() | st.sampled_from("<>&\"'\x1b\0\n\ud800\u202e\uffff中"), max_size=60
)
# Characters that take one column of a terminal each: their number is their width.
NARROW_TEXT = st.text(st.sampled_from("abcdefgh \n-.,≤αé"), max_size=90)
NUMBER_TEXT = st.from_regex(r"-?[0-9]{1,40}(\.[0-9]{1,9})?(e-[0-9]{2})?", fullmatch=True)


@st.composite
def tables(draw: st.DrawFn, text: st.SearchStrategy[str]) -> Table:
    header = draw(st.lists(text, min_size=1, max_size=11))
    cells = [st.just("") | (NUMBER_TEXT if draw(st.booleans()) else text) for _ in header]
    rows = draw(st.lists(st.tuples(*cells), max_size=5))
    return Table(tuple(header), tuple(rows), draw(text))


# What Markdown and formulas are made of, so that random text is sometimes read as such.
MARKUP = st.lists(
    st.sampled_from(
        [
            *"$$$\\\\*_`#>-+|[]()!<&~%^{} \n\n12",
            *("$$", "    ", "\n- ", "\n1. ", "\n> ", "```", "---", "**", "word", "α₂ ≤ é", "中"),
            *("\\alpha", "\\frac", "\\input", "\\$", "$x^2$", "$\\alpha_a \\le 1$", "<b>", "&amp;"),
            *("https://example.org", "[a](https://example.org)", "![b](c.png)"),
        ]
    ),
    max_size=30,
).map("".join)
# Single formulas, and long ones that do not fit into a line.
FORMULAS = st.sampled_from(
    [
        "x",
        r"\frac{e^{-C}}{2e^C + n - 2}",
        r"\begin{bmatrix} 1 & -2 \\ 0 & x_1 \end{bmatrix}",
        r"\begin{aligned} a &= b + c \\ &\le d' \end{aligned}",
        r"\sum_{i=1}^{n} x_i^2 \qquad f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}",
        "+".join(f"x_{{{i}}}" for i in range(60)),
    ]
)
SIZES = st.floats(-1e100, 1e100) | st.floats(-10, 10) | st.integers(-1000, 1000)


@st.composite
def plots(draw: st.DrawFn, text: st.SearchStrategy[str]) -> Plot:
    labels = [draw(text) for _ in range(3)]
    kind = draw(st.sampled_from(["bars", "lines", "heatmap"]))
    count = draw(st.integers(1, 7))
    numbers = st.lists(SIZES, min_size=count, max_size=count).map(tuple)
    names = st.just(()) | st.lists(text, min_size=count, max_size=count).map(tuple)
    if kind == "heatmap":
        rows = tuple(draw(st.lists(numbers, min_size=1, max_size=5)))
        heads = draw(st.just(()) | st.tuples(*[text] * len(rows)))
        return Plot(kind, *labels, rows=rows, row_labels=heads, column_labels=draw(names))
    x = draw(st.lists(text, min_size=count, max_size=count).map(tuple) | numbers)
    series = [Series(draw(text), x, draw(numbers)) for _ in range(draw(st.integers(1, 3)))]
    return Plot(kind, *labels, series=tuple(series))


def reports(text: st.SearchStrategy[str], *, drawn: bool = False) -> st.SearchStrategy[Report]:
    """Reports of any blocks; with plots only if `drawn`, since they take time to draw."""
    words = text.map("x".__add__)  # titles and headings must not be empty
    pairs = st.lists(st.tuples(text, text), max_size=5).map(tuple)
    steps = st.lists(st.tuples(text, st.just("") | FORMULAS), max_size=4).map(tuple)
    block: st.SearchStrategy[Block] = st.one_of(
        st.builds(Text, text),
        st.builds(Heading, words, st.sampled_from([1, 2, 3])),
        tables(text),
        st.builds(Facts, pairs),
        st.builds(Prose, text | MARKUP),
        st.builds(Math, FORMULAS),
        st.builds(Steps, steps),
        st.builds(Code, text, text),
        *([plots(text)] if drawn else []),
    )
    return st.builds(Report, words, st.lists(block, max_size=5).map(tuple))
