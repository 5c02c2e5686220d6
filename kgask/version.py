"""The one place that says which version this is; setup.cfg reads it too."""

__version__ = "0.2.0"
