"""The one place that says which version this is; setup.cfg reads it too."""

__version__ = "0.1.0"
