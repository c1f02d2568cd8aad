"""The fifteen tests of NIST SP 800-22 Rev. 1a on packed bits."""
