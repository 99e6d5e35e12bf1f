"""MemPABench: a benchmark of personal agents' memory for interaction preferences.

``mempabench.load`` reads a release. What it needs is imported when it is first asked for.
"""

from typing import TYPE_CHECKING

__all__ = ["__version__", "load"]

if TYPE_CHECKING:
    from mempabench.release.load import load

    __version__: str
else:

    def __getattr__(name: str) -> object:
        if name == "load":
            from mempabench.release.load import load as value
        elif name == "__version__":
            from importlib.metadata import version

            value = version("mempabench")
        else:
            raise AttributeError(
                f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}"
            )
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
