"""What can go wrong, as the user sees it: one clear line, saying where, what, and what then."""


class MemPABenchError(Exception):
    """Trouble that is told in one line and ends the command with exit code 1."""


class InputError(MemPABenchError):
    """A file that a person gave (transcript, manifest, configuration, batch) can't be used as it is."""


class EngineError(MemPABenchError):
    """A request has no answer, or the engine can't be asked."""


class ReplyError(MemPABenchError):
    """An answer came, but it can't be used."""


class ReviewPending(MemPABenchError):
    """The build can't go on until somebody has decided something."""


class ReleaseError(MemPABenchError):
    """A release can't be written, read or compared."""
