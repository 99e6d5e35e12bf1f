"""The only code that talks to a model, or to the record of one."""
