"""What checks ask of rows: counted in the scan that profiles them; and what is kept that answers them."""
