"""Injected errors (AVH, Appendix B): what a column's profile would be if each of them had happened."""
