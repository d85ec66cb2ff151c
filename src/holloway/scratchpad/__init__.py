"""What a session did, held in memory while it runs; nothing here is believed yet."""
