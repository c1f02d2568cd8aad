"""Tournament play (Crown 31, and 13.8 for Magnificent Sevens): schedule, prizes, terms."""
