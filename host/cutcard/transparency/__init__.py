"""Merkle trees, checkpoints and witnesses: evidence that a log is append-only."""

from cutcard.transparency.checkpoint import (
    BadCheckpointError,
    Checkpoint,
    Cosignature,
    VerifierKey,
    cosignature_of,
    cosigned,
    parsed,
    signed_note,
)
from cutcard.transparency.merkle import Leaves, consistency_proof, is_consistent, leaf_hash

__all__ = [
    "BadCheckpointError",
    "Checkpoint",
    "Cosignature",
    "Leaves",
    "VerifierKey",
    "consistency_proof",
    "cosignature_of",
    "cosigned",
    "is_consistent",
    "leaf_hash",
    "parsed",
    "signed_note",
]
