"""The release package: from records to a dataset folder, its published versions, and loading them."""
