"""Which of a student's files answers the problem that is asked."""

from __future__ import annotations

from regard.grading.answers import Asked, answer_to
from regard.grading.hand_ins import File

ASKED = Asked("average-two-values", ("(c-ii)",))


def file(name: str, text: str) -> File:
    stem, _, ending = name.rpartition(".")
    return File(name, stem, f".{ending}", text.encode())


def test_a_file_that_names_the_problem_comes_before_one_that_may_be_anything() -> None:
    loose = file("notes.toml", 'q = "k_b"')
    for named in (
        file("average-two-values.toml", 'q = "k_a"'),
        file("c-ii.toml", 'q = "k_a"'),
        file("mine.toml", 'problem = "average-two-values"\nq = "k_a"'),
        file("sheet.toml", '[average-two-values]\nq = "k_a"'),
    ):
        for files in ((loose, named), (named, loose)):
            assert answer_to(ASKED, files, [ASKED]).fields == {"q": "k_a"}
    twice = (file("average-two-values.toml", 'q = "k_a"'), file("(c-ii).toml", 'q = "k_b"'))
    assert answer_to(ASKED, twice, [ASKED]).refused.startswith("It is answered twice: ")


def test_a_file_named_by_a_problem_that_is_not_asked_is_no_answer() -> None:
    other = file("worked-scores.toml", 'q = "k_b"')
    mine = file("mine.toml", 'q = "k_a"')
    given = answer_to(ASKED, (mine, other), [ASKED])
    why = "worked-scores.toml: is an answer to 'worked-scores', which is not asked here."
    assert (given.fields, given.remarks) == ({"q": "k_a"}, (why,))
    assert answer_to(ASKED, (other,), [ASKED]).refused == why


def test_an_answer_that_says_its_seed_is_judged_by_that_variant_alone() -> None:
    for named in (
        file("mine.toml", 'problem = "average-two-values"\nseed = 7\n[answer]\nq = "k_a"'),
        file("mine.toml", 'seed = 7\nq = "k_a"'),
        file("sheet.toml", 'seed = 7\n[average-two-values]\nq = "k_a"'),
        file(
            "sheet.toml", '[average-two-values]\nseed = 7\n[average-two-values.answer]\nq = "k_a"'
        ),
    ):
        assert answer_to(ASKED, (named,), [ASKED], 7).fields == {"q": "k_a"}
        refused = answer_to(ASKED, (named,), [ASKED], 8).refused
        assert refused.endswith("the variant with the seed 7, and asked is that with the seed 8.")
        refused = answer_to(ASKED, (named,), [ASKED]).refused
        assert refused.endswith("the variant with the seed 7, and asked is the problem as it is.")
