"""CRC-8 (polynomial 0x07, start 0) of the lines to reader and displays."""


def crc8(data, size):
    crc = 0
    for at in range(size):
        crc ^= data[at]
        for _ in range(8):
            crc = (crc << 1 ^ 0x07) & 0xFF if crc & 0x80 else crc << 1
    return crc
