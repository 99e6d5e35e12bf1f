"""The tools of the world, one module a domain."""
