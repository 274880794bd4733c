"""Learn data-quality constraints for a recurring table from its history, and gate the pipeline on them."""

from __future__ import annotations

__version__ = "0.1.0"
