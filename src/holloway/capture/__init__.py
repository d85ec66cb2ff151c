"""What others wrote, as events and drafts: transcripts, journals, rules files, archives."""
