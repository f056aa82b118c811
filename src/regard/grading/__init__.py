"""A class graded at once (hand-ins in, a table and pages out), and exports to other graders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from regard.lazy_names import lazy_names

if TYPE_CHECKING:
    from regard.grading.grades import Grades, Row
    from regard.grading.overview import Overview
    from regard.grading.rubrics import Rubric, rubric
    from regard.grading.seeds import student_seed
    from regard.grading.whole_class import grade
else:  # a checker of types reads the lines above
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "whole_class": "grade",
            "grades": "Grades Row",
            "overview": "Overview",
            "rubrics": "Rubric rubric",
            "seeds": "student_seed",
        },
    )

__all__ = ["Grades", "Overview", "Row", "Rubric", "grade", "rubric", "student_seed"]
