"""SP 800-90B: how much entropy a noise source has, as NIST's own tool assesses it."""
