"""Reports of any content, drawn by Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

from regard.report import Block, Facts, Heading, Report, Table, Text

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


def reports(text: st.SearchStrategy[str]) -> st.SearchStrategy[Report]:
    words = text.map("x".__add__)  # titles and headings must not be empty
    pairs = st.lists(st.tuples(text, text), max_size=5).map(tuple)
    block: st.SearchStrategy[Block] = st.one_of(
        st.builds(Text, text), st.builds(Heading, words), tables(text), st.builds(Facts, pairs)
    )
    return st.builds(Report, words, st.lists(block, max_size=5).map(tuple))
