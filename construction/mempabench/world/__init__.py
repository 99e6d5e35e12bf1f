"""The world that a personal agent acts in: a dated, journalled state and the tools over it (paper §C.2)."""
