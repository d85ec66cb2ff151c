"""What sessions cost and what memory saved them, in figures that are kept from the first day."""
