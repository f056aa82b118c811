"""Past one machine: sweeps over many settings, and attention over keys that do not fit in memory.

Both run here by default, and on a scheduler of Dask where one is named. Dask, Zarr and pyarrow are
imported when they are needed and never before.
"""

from regard.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__)
