"""Records: what the project's things *are*. No files, no clock, no model."""
