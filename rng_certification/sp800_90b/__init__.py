"""SP 800-90B: the assessed entropy of a noise source, by the methods of NIST's own tool."""
