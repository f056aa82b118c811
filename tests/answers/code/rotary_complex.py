import numpy as np


def rotary(x, positions):
    d = x.shape[-1]
    z = x.reshape(*x.shape[:-1], d // 2, 2)
    z = z[..., 0] + 1j * z[..., 1]
    w = 1.0 / (10000 ** (np.arange(0, d, 2) / d))
    z = z * np.exp(1j * positions[:, None] * w)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)
