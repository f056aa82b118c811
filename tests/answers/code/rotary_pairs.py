import numpy as np


def rotary(x, positions):
    d = x.shape[-1]
    theta = 10000.0 ** (-2.0 * np.arange(d // 2) / d)
    ang = np.outer(positions, theta)
    c, s = np.cos(ang), np.sin(ang)
    out = np.zeros_like(x)
    out[..., ::2] = x[..., ::2] * c - x[..., 1::2] * s
    out[..., 1::2] = x[..., ::2] * s + x[..., 1::2] * c
    return out
