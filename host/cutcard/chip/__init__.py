"""A device on its own microcontroller, emulated: `chip:carousel-38`.

It runs the MicroPython, image and boot of a board, instruction by instruction, with the bench's
mechanics, cable and person's port. Board and mechanics communicate only through emulated wires.
"""
