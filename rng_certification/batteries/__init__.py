"""Established batteries as they are, where they are installed: fed by a stream, never rewound."""
