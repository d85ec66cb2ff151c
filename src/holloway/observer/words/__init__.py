"""What agents and users say in their own words: corrections, causes, dead ends, reasons, next steps."""
