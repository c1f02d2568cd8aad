"""The live table: devices, engine and journal together."""
