"""Slow questions end: when a newer one supersedes them, and when their time is up.

A process that is stopped by SIGSTOP never answers, whatever it is asked, so nothing here rests on how
fast the machine is.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

from lab.browsing import open_scene, running_lab
from lab.processes import children_of, gone, run_apart, wait_until
from regard.lab.serving.workers import Worker, Workers

QUESTION = {"keys": [[1, 0], [0, 1], [-1, -1]], "target": [1, 0, 0]}


def with_one_stopped_worker(use: Callable[[Workers, Worker], Awaitable[None]]) -> None:
    """Run with a single process that has answered once and now never will."""

    async def whole() -> None:
        workers = Workers(count=1, seconds=60)
        await workers.open()
        try:
            assert "answer" in await workers.ask("design_query", QUESTION)
            (worker,) = workers.all
            os.kill(worker.process.pid, signal.SIGSTOP)
            async with asyncio.timeout(90):
                await use(workers, worker)
        finally:
            await workers.close()

    run_apart(whole())


def test_a_question_that_is_taken_back_ends_with_its_process_and_the_next_is_answered() -> None:
    async def use(workers: Workers, stuck: Worker) -> None:
        first = asyncio.create_task(workers.ask("design_query", QUESTION))
        await asyncio.sleep(0.2)
        assert not first.done()
        first.cancel()
        found = await workers.ask("design_query", QUESTION)  # there is one process: it was replaced
        assert found["answer"]["status"] == "reached"
        assert first.cancelled()
        assert stuck.process.returncode == -signal.SIGKILL
        assert stuck not in workers.all
        assert len(workers.all) == 1

    with_one_stopped_worker(use)


def test_a_question_whose_time_is_up_is_told_so_and_the_next_is_answered() -> None:
    async def use(workers: Workers, stuck: Worker) -> None:
        workers.seconds = 0.5
        found = await workers.ask("design_query", QUESTION)
        assert found == {"problem": "This took longer than 0.5 s and was stopped."}
        workers.seconds = 60
        assert "answer" in await workers.ask("design_query", QUESTION)
        assert stuck.process.returncode == -signal.SIGKILL

    with_one_stopped_worker(use)


def test_a_question_that_waited_for_a_busy_machine_is_given_more_time() -> None:
    async def use(workers: Workers, stuck: Worker) -> None:
        workers.seconds = 1.0
        asked = asyncio.create_task(workers.ask("design_query", QUESTION))
        await asyncio.sleep(1.5)  # it has not computed at all
        os.kill(stuck.process.pid, signal.SIGCONT)
        assert "answer" in await asked
        assert stuck in workers.all

    with_one_stopped_worker(use)


def test_a_process_that_dies_is_told_of_and_replaced() -> None:
    async def use(workers: Workers, stuck: Worker) -> None:
        asked = asyncio.create_task(workers.ask("design_query", QUESTION))
        await asyncio.sleep(0.2)
        os.kill(stuck.process.pid, signal.SIGKILL)
        assert await asked == {"problem": "The engine stopped while it answered. Ask again."}
        assert "answer" in await workers.ask("design_query", QUESTION)

    with_one_stopped_worker(use)


def test_the_page_takes_a_slow_question_back_when_the_hand_has_moved_on(browser: Any) -> None:
    with running_lab() as lab:
        screen = open_scene(browser, lab, "where-to-look")
        wait_until(lambda: len(children_of(lab.process.pid)) == 2)
        processes = children_of(lab.process.pid)
        slider = screen.page.get_by_label("Length of the query", exact=True)
        for key in ("End", "Home", "End", "Home"):  # in turns, so that both processes are ready
            slider.press(key)
            screen.settle()
        least = screen.state["factor"]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        slider.press("End")  # to one of them, which will never answer
        screen.page.wait_for_selector(".regard-busy")
        assert not any(gone(process) for process in processes)
        slider.press("ArrowLeft")  # to the other; the first is not wanted any more
        wait_until(lambda: any(gone(process) for process in processes))
        (other,) = [process for process in processes if not gone(process)]
        os.kill(other, signal.SIGCONT)
        screen.settle()
        assert least < screen.state["factor"] < 4
        assert not screen.page.locator(".regard-problem").is_visible()
        wait_until(lambda: len(children_of(lab.process.pid)) == 2)  # another one stands ready
        screen.end()
