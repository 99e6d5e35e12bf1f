"""The stages, one file and one verb each."""
