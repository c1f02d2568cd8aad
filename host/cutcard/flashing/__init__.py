"""Install an image on a board: at MicroPython's prompt the first time, over the wire later."""
