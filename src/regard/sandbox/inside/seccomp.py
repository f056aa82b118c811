"""A filter on system calls: no sockets, no new processes or programs, no signals to others.

Files are Landlock's part; here are the calls that reach other processes, the network and the
system, those that change attributes of files (which Landlock does not cover), and those that take
memory past the limit on the address space. Threads may start.
"""

from __future__ import annotations

import ctypes
import errno
import platform

from .system import PR_SET_NO_NEW_PRIVS, prctl, syscall

# By machine: its number for the filter, that of the call seccomp, and which column of DENIED.
MACHINES = {"x86_64": (0xC000003E, 317, 0), "aarch64": (0xC00000B7, 277, 1)}
X32 = 0x40000000  # calls of another kind on x86_64, from this number on

# Numbers on x86_64 and on aarch64; None: there is no such call.
DENIED: dict[str, tuple[int | None, int | None]] = {
    # the network
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    # other processes and programs
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "setsid": (112, 157),
    "setpgid": (109, 154),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # the system
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "unshare": (272, 97),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "quotactl": (179, 60),
    "personality": (135, 92),
    "open_by_handle_at": (304, 265),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # attributes of files
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "truncate": (76, 45),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    # what others do with their files
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    # memory that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
CLONE, CLONE3 = (56, 220), (435, 435)
CLONE_THREAD = 0x10000
OWN_ONLY = {
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
}  # the first argument must be 0
FCNTL = (72, 25)
# F_SETOWN, F_SETSIG, F_SETOWN_EX; F_SETLEASE, which makes others wait, and F_NOTIFY.
SIGNALS_OF_FILES = (8, 10, 15, 1024, 1026)

# Instructions of the filter: load a word, jump if equal, if at least, if bits are set, return.
_LOAD, _EQUAL, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _FIRST, _SECOND = 0, 4, 16, 24  # where the words of a call lie
Instruction = tuple[int, int, int, int]


def program(machine: str) -> list[Instruction]:
    """Return the filter for a machine: code, jump if true, jump if not, number."""
    arch, _, column = MACHINES[machine]
    deny: Instruction = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    allow: Instruction = (_RETURN, 0, 0, _ALLOW)
    lines: list[Instruction] = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":
        lines += [(_AT_LEAST, 0, 1, X32), deny]
    lines += [(_EQUAL, 0, 1, CLONE3[column]), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for numbers in DENIED.values():
        number = numbers[column]
        if number is not None:
            lines += [(_EQUAL, 0, 1, number), deny]
    lines += [
        (_EQUAL, 0, 4, CLONE[column]),
        (_LOAD, 0, 0, _FIRST),
        (_BITS, 0, 1, CLONE_THREAD),
        allow,
        deny,
    ]
    for own in OWN_ONLY.values():
        lines += [
            (_EQUAL, 0, 4, own[column]),
            (_LOAD, 0, 0, _FIRST),
            (_EQUAL, 0, 1, 0),
            allow,
            deny,
        ]
    lines += [(_EQUAL, 0, 2 + 2 * len(SIGNALS_OF_FILES), FCNTL[column]), (_LOAD, 0, 0, _SECOND)]
    for command in SIGNALS_OF_FILES:
        lines += [(_EQUAL, 0, 1, command), deny]
    return [*lines, allow, allow]


class _Line(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16),
        ("yes", ctypes.c_uint8),
        ("no", ctypes.c_uint8),
        ("number", ctypes.c_uint32),
    ]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_uint16), ("lines", ctypes.POINTER(_Line))]


def restrict() -> None:
    """Filter the calls of all threads of this process, for good.

    Raises:
        OSError: the system does not have it, or the machine is not known here.
    """
    machine = platform.machine()
    if machine not in MACHINES:
        raise OSError(errno.ENOSYS, f"no filter for {machine}")
    lines = program(machine)
    array = (_Line * len(lines))(*(_Line(*line) for line in lines))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    filtered = _Program(len(lines), array)
    # 1, 1: set a filter, for all threads at once.
    syscall("seccomp", MACHINES[machine][1], 1, 1, ctypes.byref(filtered))
