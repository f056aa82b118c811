from regard.grading.grades import Grades as Grades
from regard.grading.grades import Row as Row
from regard.grading.overview import Overview as Overview
from regard.grading.rubrics import Rubric as Rubric
from regard.grading.rubrics import rubric as rubric
from regard.grading.seeds import student_seed as student_seed
from regard.grading.whole_class import grade as grade
