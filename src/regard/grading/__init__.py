"""A class graded at once: hand-ins in, a table, a page for each student and an overview out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.grading.grade import grade
    from regard.grading.grades import Grades, Row
    from regard.grading.overview import Overview
    from regard.grading.rubric import Rubric, rubric
    from regard.grading.seeds import student_seed
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "grade": "grade",
            "grades": "Grades Row",
            "overview": "Overview",
            "rubric": "Rubric rubric",
            "seeds": "student_seed",
        },
    )

__all__ = ["Grades", "Overview", "Row", "Rubric", "grade", "rubric", "student_seed"]
