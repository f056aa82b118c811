"""What is found in the folder of a class, and in the archive of one."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import pytest

from regard.errors import ParameterError
from regard.grading import class_archive, hand_ins

RIGHT = 'q = "C (k_a + k_b)"'


def found(folder: Path) -> dict[str, list[tuple[str, bytes | str]]]:
    """Return, for each student, the files with what is in them, or why they are refused."""
    with hand_ins.class_folder(folder) as descriptor:
        return {
            one.student: [
                (file.name, file.refused or file.data) for file in hand_ins.read(descriptor, one)
            ]
            for one in hand_ins.find(descriptor)
        }


def test_what_systems_and_editors_leave_is_nobodys_hand_in(tmp_path: Path) -> None:
    for name in (".DS_Store", ".hidden", "Thumbs.db", "desktop.ini", "._ann.toml", ".bob.toml"):
        (tmp_path / name).write_text("x")
    for name in (".git", ".vscode", "__MACOSX"):
        (tmp_path / name).mkdir()
    (tmp_path / "ann").mkdir()
    (tmp_path / "ann" / ".ipynb_checkpoints").mkdir()
    (tmp_path / "ann" / "answer.toml").write_text(RIGHT)
    assert found(tmp_path) == {
        ".bob": [("", b"x")],  # hidden, and an answer by its ending: it is not lost
        "ann": [("answer.toml", RIGHT.encode())],
    }


def test_folders_within_the_folder_of_a_student_are_looked_into(tmp_path: Path) -> None:
    deep = tmp_path / "ann" / "week 5" / "mine"
    deep.mkdir(parents=True)
    (deep / "answer.toml").write_text(RIGHT)
    (tmp_path / "ann" / "elsewhere").symlink_to("/etc")
    (tmp_path / "bob" / "a" / "b" / "c" / "d" / "e").mkdir(parents=True)
    (tmp_path / "cem" / "nothing").mkdir(parents=True)
    assert found(tmp_path) == {
        "ann": [
            ("elsewhere", "is a link, and links are not followed"),
            ("week 5/mine/answer.toml", RIGHT.encode()),
        ],
        "bob": [("a/b/c/d/e", "lies in too many folders")],
        "cem": [("cem", "is an empty folder")],
    }


def test_files_in_all_folders_of_a_student_are_counted(tmp_path: Path) -> None:
    for place in range(hand_ins.MOST_FILES + 1):
        folder = tmp_path / "ann" / str(place)
        folder.mkdir(parents=True)
        (folder / "answer.toml").write_text(RIGHT)
    assert found(tmp_path) == {"ann": [("ann", "has more than 64 files")]}


def archived(path: Path, names: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in names.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    ("names", "students"),
    [
        (["ann.toml", "Zoë Müller.toml", "bob/answer.toml"], ["Zoë Müller", "ann", "bob"]),
        (["week 5/ann.toml", "week 5/bob/x.toml", "__MACOSX/week 5/._ann.toml"], ["ann", "bob"]),
        (["ann/answer.toml"], ["ann"]),
        (
            ["Ann Lee_7_assignsubmission_file/a.toml", "Bob_8_assignsubmission_file_/a.toml"],
            ["Ann Lee_7", "Bob_8"],
        ),
        (["leeann_7_91_answer.toml", "kimbob_LATE_8_92_a.toml"], ["kimbob_LATE_8", "leeann_7"]),
        (["ann/answer.toml", "bob/"], ["ann", "bob"]),
        (["a/ann.toml", "a/"], ["a"]),
    ],
)
def test_an_archive_is_a_folder_and_students_have_their_names(
    names: list[str], students: list[str], tmp_path: Path
) -> None:
    path = archived(tmp_path / "class.zip", dict.fromkeys(names, RIGHT))
    assert sorted(found(path)) == students


def test_two_files_of_a_student_on_canvas_are_one_hand_in(tmp_path: Path) -> None:
    names = {"leeann_7_91_first.toml": "a = 1", "leeann_7_92_second.toml": "b = 2"}
    path = archived(tmp_path / "class.zip", names)
    assert found(path) == {"leeann_7": [("first.toml", b"a = 1"), ("second.toml", b"b = 2")]}


def test_nothing_of_an_archive_is_written_outside_or_is_a_link(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    link = zipfile.ZipInfo("link.toml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../../ann.toml", RIGHT)
        archive.writestr("/bob.toml", RIGHT)
        archive.writestr("..\\..\\cem.toml", RIGHT)
        archive.writestr(link, "/etc/passwd")
    with class_archive.unpacked(path, hand_ins.MOST_BYTES) as folder:
        inside = {str(one.relative_to(folder)) for one in folder.rglob("*")}
        assert inside == {"ann.toml", "bob.toml", "cem.toml", "link.toml"}
        assert not (folder / "link.toml").is_symlink()
    assert not folder.exists()
    assert os.listdir(tmp_path) == ["class.zip"]


def test_of_a_bomb_no_more_is_unpacked_than_shows_its_size(tmp_path: Path) -> None:
    large = {"ann.toml": " " * 50_000_000, "bob.toml": RIGHT, "cem.exe": "x" * 1000}
    path = archived(tmp_path / "class.zip", large)
    with class_archive.unpacked(path, hand_ins.MOST_BYTES) as folder:
        sizes = {one.name: one.stat().st_size for one in folder.iterdir()}
    assert sizes == {"ann.toml": 1_000_001, "bob.toml": len(RIGHT), "cem.exe": 1}
    assert found(path)["ann"] == [("", "is larger than 1 MB")]


def test_two_members_of_one_name_are_both_kept(tmp_path: Path) -> None:
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ann/answer.toml", "a = 1")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("ann/answer.toml", "a = 2")
    assert found(path) == {"ann": [("answer (2).toml", b"a = 2"), ("answer.toml", b"a = 1")]}


def test_an_archive_that_cannot_be_used_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = archived(tmp_path / "class.zip", {"ann.toml": RIGHT, "bob.toml": RIGHT})
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(path.read_bytes().replace(b"ann.toml", b"xnn.toml", 1))
    with pytest.raises(ParameterError, match="cannot be read: File name in directory"):
        found(damaged)
    clash = archived(tmp_path / "clash.zip", {"ann": "x", "ann/answer.toml": RIGHT})
    with pytest.raises(ParameterError, match="cannot be unpacked"):
        found(clash)
    monkeypatch.setattr(class_archive, "MOST_BYTES", 30)
    with pytest.raises(ParameterError, match="unpacks to more than a class can hand in"):
        found(path)
