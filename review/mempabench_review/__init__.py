"""The review desk of MemPABench: where people settle the cells that the construction left open."""
