"""Grade a class: hand-ins in, a table, pages and an overview out.

What was judged before is not judged again, whatever stopped the run in between: a record is kept
under a hash of the bytes of the hand-in, the problem, the seed and the version of regard. Tables
and pages are written last, each whole or not at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from regard.errors import ParameterError
from regard.grading import hand_ins
from regard.grading.checkpoint import Checkpoint
from regard.grading.grades import Grades, Row
from regard.grading.judging import record
from regard.grading.overview import sum_up
from regard.grading.page_jobs import PageJob
from regard.grading.pages import page_name
from regard.grading.pool import Pool, Stopped
from regard.grading.questions import Job, Question, key_of, questions
from regard.grading.seeds import student_seed
from regard.grading.writing import write_whole
from regard.problems import Problem
from regard.report import to_html_page

FEEDBACK = "feedback"
FEW = 24  # pages are written faster here than a process starts
FOUND = ("score", "verdict", "tag", "message")  # of a record, in the table
Named = str | Path | Problem
Tick = Callable[[int, int], None]


def grade(
    problems: Named | Sequence[Named],
    folder: str | Path,
    out: str | Path,
    *,
    workers: int | None = None,
    variant_by: str | None = None,
    seed: int | None = None,
) -> Grades:
    """Grade what a class handed in, and write the grades to a folder.

    Args:
        problems: ids, files, problems or names of collections; one, or several.
        folder: with a file (TOML, JSON, NPZ or code) or a folder for each student.
        out: the folder for grades.csv, grades.json, overview.html and feedback/; it is made.
        workers: processes that judge side by side; by default as many as there are processors.
        variant_by: "student" where each student has a variant, with the seed `student_seed`.
        seed: of the variant that everybody has, as in `regard handout --seed`.

    Returns:
        the grades: `.rows`, sorted by student and problem, and `.overview`.

    Raises:
        InvalidProblem: a problem cannot be read, or its answers cannot be checked.
        ParameterError: a folder or an option cannot be used, or a file cannot be written.
    """
    return grade_with_progress(problems, folder, out, workers, variant_by, seed, lambda *_: None)


def grade_with_progress(
    problems: Named | Sequence[Named],
    folder: str | Path,
    out: str | Path,
    workers: int | None,
    variant_by: str | None,
    seed: int | None,
    tick: Tick,
) -> Grades:
    """Do as `grade`, and call `tick` with how many rows are judged, and of how many."""
    _check_options(workers, variant_by, seed)
    named = [problems] if isinstance(problems, str | Path | Problem) else [*problems]
    asked = questions(named)
    with hand_ins.class_folder(folder) as descriptor:
        found = hand_ins.find(descriptor)
        if not found:
            raise ParameterError(
                f"grade: folder must hold a file or a folder for each student. {str(folder)!r} "
                "holds none."
            )
        target = _made(Path(folder), Path(out))
        with Checkpoint(target) as known:
            seed_of = student_seed if variant_by == "student" else lambda _: seed
            run = _Run(descriptor, found, asked, known, seed_of, tick, target)
            grades = run.grades(workers or _processors())
            _write_tables(grades, target)
    return grades


class _Run:
    """One run over all hand-ins: what is known already, what is under way, what was stopped."""

    def __init__(
        self,
        descriptor: int,
        found: Sequence[hand_ins.HandIn],
        asked: Sequence[Question],
        known: Checkpoint,
        seed_of: Callable[[str], int | None],
        tick: Tick,
        target: Path,
    ) -> None:
        self.descriptor, self.found, self.asked, self.known = descriptor, found, asked, known
        self.seed_of, self.tick, self.target = seed_of, tick, target
        self.keys: dict[tuple[str, str], str] = {}
        self.stopped: dict[str, dict[str, Any]] = {}
        self.judged = 0
        self.result: Grades | None = None

    def grades(self, workers: int) -> Grades:
        """Judge what is not known yet, write a page for each student, and return the grades."""
        pool = Pool[Job | PageJob](workers, lambda job: job.messages(self.asked))
        pool.run(self._jobs(), self._done, self._pages)
        assert self.result is not None
        return self.result

    def _pages(self) -> Iterator[PageJob]:
        """Sum up what was judged, and yield the pages; a few are written at once."""
        rows, solved = self._rows(), [question.problem for question in self.asked]
        self.result = Grades(rows, sum_up(rows, solved), solved)
        by_student: dict[str, list[Row]] = {}
        for row in rows:
            by_student.setdefault(row.student, []).append(row)
        scores = self.result.overview.scores
        jobs = [PageJob(name, tuple(own), scores[name]) for name, own in by_student.items()]
        if len(jobs) > FEW:
            yield from jobs
            return
        for job in jobs:
            self._write_page(job.student, job.text(self.asked))

    def _rows(self) -> tuple[Row, ...]:
        """Return a row for each hand-in and problem, sorted."""
        rows = []
        for (student, problem), key in sorted(self.keys.items()):
            said = self.stopped.get(key) or self.known.get(key)
            score, verdict, tag, message = (said[name] for name in FOUND)
            seed = self.seed_of(student)
            rows.append(Row(student, problem, score, verdict, tag, message, seed, said))
        return tuple(rows)

    def _jobs(self) -> Iterator[Job]:
        """Yield what has to be judged; hand-ins with the same bytes are judged once."""
        under_way: set[str] = set()
        for hand_in in self.found:
            files = hand_ins.read(self.descriptor, hand_in)
            seed = self.seed_of(hand_in.student)
            for question in self.asked:
                key = key_of(files, question, self.asked, seed)
                self.keys[hand_in.student, question.problem.id] = key
                if key in self.known or key in under_way:
                    self._count()
                    continue
                under_way.add(key)
                yield Job(key, files, question, seed)

    def _done(self, job: Job | PageJob, reply: bytes | Stopped) -> None:
        """Keep a record. What was stopped is not kept: the reason may lie outside of it."""
        if isinstance(job, PageJob):
            if isinstance(reply, Stopped):  # then it is made here
                text = job.text(self.asked)
            else:
                text = reply.decode("utf-8", "surrogatepass")
            self._write_page(job.student, text)
            return
        if isinstance(reply, Stopped):
            self.stopped[job.key] = record("stopped", reply.value)
        elif (said := json.loads(reply))["verdict"] == "stopped":
            self.stopped[job.key] = said
        else:
            self.known.add(job.key, reply)
        self._count()

    def _write_page(self, student: str, text: str) -> None:
        write_whole(self.target / FEEDBACK / page_name(student), text, lasting=False)

    def _count(self) -> None:
        self.judged += 1
        self.tick(self.judged, len(self.found) * len(self.asked))


def _write_tables(grades: Grades, target: Path) -> None:
    """Write the tables, after all pages: where there is a table, everything is there."""
    write_whole(target / "overview.html", to_html_page(grades.report()))
    write_whole(target / "grades.json", grades.to_json())
    write_whole(target / "grades.csv", grades.to_csv())


def _check_options(workers: int | None, variant_by: str | None, seed: int | None) -> None:
    if workers is not None and (isinstance(workers, bool) or not 1 <= workers <= 256):
        raise ParameterError(
            f"grade: workers must be a whole number from 1 to 256. Got {workers!r}."
        )
    if variant_by not in (None, "student"):
        raise ParameterError(f'grade: variant_by must be "student" or None. Got {variant_by!r}.')
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
        raise ParameterError(f"grade: seed must be a whole number from 0 on. Got {seed!r}.")
    if seed is not None and variant_by is not None:
        raise ParameterError("grade: give seed or variant_by, and not both.")


def _made(folder: Path, out: Path) -> Path:
    """Make the folder for the grades, which must not lie among the hand-ins."""
    inside = out.resolve()
    if folder.resolve() in (inside, *inside.parents):
        raise ParameterError(f"grade: out must lie outside of {str(folder)!r}. Got {str(out)!r}.")
    try:
        (out / FEEDBACK).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "no reason given").lower()
        raise ParameterError(f"grade: {out}: cannot be made: {reason}.") from None
    return out


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
