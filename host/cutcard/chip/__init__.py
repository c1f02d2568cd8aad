"""A device on its own microcontroller, emulated: `chip:carousel-38`.

The same MicroPython, image and boot as on a board, run instruction by instruction; the bench's
mechanics, cable and person's port around it. Nothing passes between the two but what has a wire.
"""
