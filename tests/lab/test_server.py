"""The server: who may ask, how much, how long; and that it goes on after every attack."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest

from lab.browsing import Lab, needs, open_scene, running_lab
from regard.lab.table import ask

needs("httpx", "websockets", "fastapi")

import httpx  # noqa: E402
from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

QUESTION = {"keys": [[1, 0], [0, 1], [-1, -1]], "target": [1, 0, 0]}
SLOW = {  # two heads over many keys, integrated exactly: far longer than anybody waits
    "queries": [[1, 2], [2, -1]],
    "means": [[i / 7, 1 - i / 5] for i in range(60)],
    "covariances": [[[1, 0.2], [0.2, 1]]] * 60,
    "values": [[i, 1] for i in range(60)],
    "method": "exact",
}


def answers(lab: Lab) -> bool:
    found = httpx.post(
        f"{lab.base}/ask/design_query", json=QUESTION, headers=lab.cookie, timeout=30
    )
    return found.status_code == 200 and found.json()["status"] == "reached"


def test_the_token_is_exchanged_for_a_cookie_that_no_script_can_read(lab: Lab) -> None:
    found = httpx.get(f"{lab.base}/scene/where-to-look?token={lab.token}&factor=2")
    assert (found.status_code, found.headers["location"]) == (303, "/scene/where-to-look?factor=2")
    cookie = found.headers["set-cookie"]
    assert cookie.startswith(f"regard-{lab.port}={lab.token}; HttpOnly; SameSite=Strict")
    page = httpx.get(f"{lab.base}/", headers=lab.cookie)
    policy = page.headers["content-security-policy"]
    assert page.status_code == 200
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Cookie": ""}, 401),
        ({"Cookie": "regard-PORT=wrong"}, 401),
        ({"Cookie": "regard-PORT="}, 401),
    ],
)
@pytest.mark.parametrize(
    "path", ["/", "/scenes.json", "/static/shell.js", "/openapi.json", "/ask/design_query"]
)
def test_what_is_not_our_own_page_is_refused_everywhere(
    lab: Lab, path: str, headers: dict[str, str], status: int
) -> None:
    sent = {**lab.cookie, **{n: v.replace("PORT", str(lab.port)) for n, v in headers.items()}}
    method = "POST" if path.startswith("/ask") else "GET"
    found = httpx.request(
        method, lab.base + path, headers=sent, json=QUESTION if method == "POST" else None
    )
    assert found.status_code == status
    assert found.json()["problem"].endswith(".")
    assert "set-cookie" not in found.headers


def test_a_wrong_token_and_two_hosts_are_refused(lab: Lab) -> None:
    assert httpx.get(f"{lab.base}/?token=wrong").status_code == 401
    assert (
        httpx.post(f"{lab.base}/ask/design_query?token={lab.token}", json=QUESTION).status_code
        == 401
    )
    with socket.create_connection(("127.0.0.1", lab.port)) as raw:
        host = f"127.0.0.1:{lab.port}"
        raw.sendall(
            f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil\r\nCookie: {lab.cookie['Cookie']}\r\n\r\n".encode()
        )
        assert raw.recv(100).split()[1] in (b"400", b"421")
    assert answers(lab)


@pytest.mark.parametrize(
    ("origin", "cookie", "status"),
    [("http://evil.example", True, 403), (None, True, 403), ("own", False, 401)],
)
def test_a_socket_from_another_site_is_refused_before_it_is_opened(
    lab: Lab, origin: str | None, cookie: bool, status: int
) -> None:
    sent: Any = {
        "origin": lab.base if origin == "own" else origin,
        "additional_headers": lab.cookie if cookie else {},
    }
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"ws://127.0.0.1:{lab.port}/socket", **sent),
    ):
        pass
    assert refused.value.response.status_code == status


def test_the_socket_answers_whatever_is_said_to_it(lab: Lab) -> None:
    with connect(
        f"ws://127.0.0.1:{lab.port}/socket", origin=lab.base, additional_headers=lab.cookie
    ) as ws:  # type: ignore[arg-type]
        said: list[Any] = [
            "{",
            "[" * 5000,
            "3",
            '{"id": 1}',
            '{"id": [], "ask": "x"}',
            '{"id": 2, "ask": "__init__", "arguments": {}}',
        ]
        for text in said:
            ws.send(text)
            assert json.loads(ws.recv(20))["problem"].endswith(".")
        ws.send(json.dumps({"id": 7, "ask": "design_query", "arguments": QUESTION}))
        found = json.loads(ws.recv(20))
        assert (found["id"], found["answer"]["status"]) == (7, "reached")
        ws.send('{"id": 8, "ask": "design_query", "arguments": {"keys": NaN}}')
        assert json.loads(ws.recv(20))["problem"]
        ws.send("x" * 300_000)
        with pytest.raises(ConnectionClosed):
            ws.recv(20)
    assert answers(lab)


def test_a_question_taken_back_leaves_its_place_to_the_next_at_once(lab: Lab) -> None:
    with connect(
        f"ws://127.0.0.1:{lab.port}/socket", origin=lab.base, additional_headers=lab.cookie
    ) as ws:  # type: ignore[arg-type]
        for number in range(64):  # as many as a page may have on their way
            ws.send(json.dumps({"id": number, "ask": "law", "arguments": SLOW}))
        for number in range(64):
            ws.send(json.dumps({"id": number, "cancel": True}))
        ws.send(json.dumps({"id": "last", "ask": "design_query", "arguments": QUESTION}))
        while (found := json.loads(ws.recv(60)))["id"] != "last":
            pass
        assert found["answer"]["status"] == "reached"


def test_large_and_malformed_bodies_are_refused_with_a_sentence(lab: Lab) -> None:
    address = f"{lab.base}/ask/design_query"

    def chunks() -> Any:  # no Content-Length to go by
        for _ in range(400):
            yield b" " * 1000

    assert httpx.post(address, content=chunks(), headers=lab.cookie).status_code == 413
    for body in (
        b"{",
        b"[1]",
        b"\xff",
        b"null",
        b'{"keys": [[1]], "target": [true]}',
        b'{"keys": [[1]], "target": [1], "x": 1}',
    ):
        found = httpx.post(
            address, content=body, headers={**lab.cookie, "Content-Type": "application/json"}
        )
        assert found.status_code in (400, 422)
        assert set(found.json()) == {"problem"}
        assert found.json()["problem"].endswith(".")
    many = {"keys": [[0.0, 1.0]] * 65, "target": [1.0] + [0.0] * 64}
    assert httpx.post(address, json=many, headers=lab.cookie).status_code == 422
    ragged = {"keys": [[0, 1], [1]], "target": [1, 0]}
    found = httpx.post(address, json=ragged, headers=lab.cookie)
    assert (found.status_code, "keys" in found.json()["problem"]) == (409, True)
    assert answers(lab)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/..%2f..%2fetc/passwd",
        "/static//etc/passwd",
        "/scene/../../x",
        "/static/",
        "/docs",
        "/static/kit/%00",
    ],
)
def test_no_path_leads_out_of_the_page(lab: Lab, path: str) -> None:
    with socket.create_connection(("127.0.0.1", lab.port)) as raw:
        raw.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\nCookie: {lab.cookie['Cookie']}\r\nConnection: close\r\n\r\n".encode()
        )
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert answer.split(b"\r\n")[0].split()[1] in (b"404", b"400")
    assert b"import" not in answer
    assert b"root:" not in answer


def test_a_problem_is_a_bundled_one_or_a_text_and_never_a_file_of_this_machine(lab: Lab) -> None:
    with NamedTemporaryFile("w", suffix=".toml") as secret:  # a short path: ids have 80 characters
        secret.write('title = "secret"')
        secret.flush()
        for name in (secret.name, "../secret.toml", "/etc/passwd"):
            found = httpx.post(f"{lab.base}/ask/show", json={"problem": name}, headers=lab.cookie)
            assert found.status_code == 409
            assert found.json()["problem"] == f"There is no bundled problem {name!r}."


def test_a_field_of_an_answer_is_a_formula_and_never_the_name_of_a_file(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "answer.toml"
    secret.write_text('q = "C (k_a + k_b)"  # right, and nobody is to read it')
    body = {"problem": "average-two-values", "answer": {"q": str(secret)}}
    found = httpx.post(f"{lab.base}/ask/check", json=body, headers=lab.cookie)
    assert found.status_code == 409
    assert found.json()["problem"].startswith("answer: q: A field holds a formula")
    # k_a is a formula, and wrong; here it is also the name of a file with the right answer.
    monkeypatch.chdir(tmp_path)
    Path("k_a").write_text(secret.read_text())
    verdict = ask("check", {**body, "answer": {"q": "k_a"}}).data
    assert (verdict["right"], verdict["score"]) == (False, 0.0)


ATTACK = "<img src=x onerror=alert(1)>"
HOSTILE = f"""schema = 1
id = "x"
title = "<script>alert(1)</script>"
kind = "query"
statement = "{ATTACK} [a](javascript:alert(1)) ${ATTACK}$"
[given]
keys = [[1, 0], [0, 1]]
names = {{ a = 0, b = 1 }}
[goal]
weights = {{ a = 1.0 }}
"""
# As scenes put in what the engine has written (static/scenes/README.md).
PUT_IN = """(html) => {
  const place = document.createElement("div");
  place.className = "attacked";
  place.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  document.body.append(place);
}"""


def test_html_in_a_problem_is_shown_as_the_text_that_it_is(browser: Any, lab: Lab) -> None:
    shown = ask("show", {"file": HOSTILE}).data["statement_html"]
    screen = open_scene(browser, lab, "where-to-look")
    opened: list[str] = []
    screen.page.on("dialog", lambda dialog: (opened.append(dialog.message), dialog.dismiss()))
    screen.page.evaluate(PUT_IN, shown)
    place = screen.page.locator(".attacked")
    assert place.locator("h3").text_content() == "<script>alert(1)</script>"
    assert place.locator("p").text_content() == f"{ATTACK} a {ATTACK.replace(' ', '')}"
    assert place.locator("script, img, [onerror], [href^=javascript]").count() == 0
    screen.page.wait_for_timeout(200)
    assert opened == []
    screen.end()


def test_html_in_an_answer_is_refused_with_a_sentence_that_is_json(lab: Lab) -> None:
    body = {"problem": "average-two-values", "answer": {"q": ATTACK}}
    found = httpx.post(f"{lab.base}/ask/check", json=body, headers=lab.cookie)
    assert (found.status_code, found.headers["content-type"]) == (409, "application/json")
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.json()["problem"].startswith("answer: q: A value is missing before this <.")


def test_a_question_taken_back_is_stopped_and_the_next_is_answered(lab: Lab) -> None:
    with connect(
        f"ws://127.0.0.1:{lab.port}/socket", origin=lab.base, additional_headers=lab.cookie
    ) as ws:  # type: ignore[arg-type]
        for number in range(3):
            ws.send(json.dumps({"id": number, "ask": "law", "arguments": SLOW}))
        for number in range(3):
            ws.send(json.dumps({"id": number, "cancel": True}))
        ws.send(json.dumps({"id": "last", "ask": "design_query", "arguments": QUESTION}))
        while (found := json.loads(ws.recv(30)))["id"] != "last":
            pass
        assert found["answer"]["status"] == "reached"


@pytest.mark.slow
def test_a_thousand_questions_at_once_are_all_answered_and_memory_stays_flat(lab: Lab) -> None:
    def resident() -> int:
        """Kilobytes of the server and of the processes that answer."""
        main = lab.process.pid
        children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
        found = [Path(f"/proc/{one}/status").read_text() for one in (main, *children)]
        return sum(int(status.split("VmRSS:")[1].split()[0]) for status in found)

    with httpx.Client(headers=lab.cookie, timeout=120) as client, ThreadPoolExecutor(50) as many:
        post = lambda _: client.post(f"{lab.base}/ask/design_query", json=QUESTION).status_code  # noqa: E731
        assert set(many.map(post, range(200))) == {200}
        before = resident()
        assert list(many.map(post, range(1000))) == [200] * 1000
        assert resident() < before + 30_000


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGHUP])
def test_ctrl_c_and_a_closed_terminal_end_the_server_and_its_workers(sent: signal.Signals) -> None:
    with running_lab() as own:
        assert answers(own)
        children = (
            Path(f"/proc/{own.process.pid}/task/{own.process.pid}/children").read_text().split()
        )
        own.process.send_signal(sent)
        assert own.process.wait(20) == 0
        deadline = time.monotonic() + 10
        while (
            any(Path(f"/proc/{child}").exists() for child in children)
            and time.monotonic() < deadline
        ):
            threading.Event().wait(0.05)
        assert children
        assert not any(Path(f"/proc/{child}").exists() for child in children)
