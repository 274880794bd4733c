"""Program + partition -> verdict."""
