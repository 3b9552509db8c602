"""Stands in for matplotlib where it is not installed: what is drawn is counted, not drawn."""
