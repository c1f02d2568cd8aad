"""Evidence of unpredictability, which output alone cannot show.

No test of numbers tells a good generator with a weak seed from one with a strong seed. So this
looks at the thing itself, the firmware's own random source in the interpreter of a device:

- `construction`: known answers, and what a thief of the whole state learns of past and future;
- `first_draws`: what comes first after each of many power cuts, and on each of many devices, where
  the noise is good and where it fails completely and is the same every time;
- `replay`: the same noise with other questions, other wagers and other players, the same draws.

What is claimed: whoever does not know the noise, and lacks the state, foretells nothing, as long as
SHA-256 is what it is taken for. What is not: that a board's noise has the entropy that its
machine file claims. Nobody can show that from here; `sp800_90b` assesses samples of it.
"""
