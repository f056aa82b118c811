import numpy as np


def rotation(t, d):
    R = np.eye(d)
    for i in range(d // 2):
        a = t / 10000 ** (2 * i / d)
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
    return R


def rotary(x, positions):
    R = np.array([rotation(t, x.shape[-1]) for t in positions])
    return np.einsum("nij,...nj->...ni", R, x)
