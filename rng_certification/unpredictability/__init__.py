"""Evidence of unpredictability, which tests of output cannot give.

No test of numbers can distinguish a good generator with a weak seed from one with a strong seed. So
these tests examine the firmware's own random source, in the interpreter of a device:

- `construction`: known answers, and the past and future draws that a stolen state reveals;
- `first_draws`: the first draws after each of many power cuts, and on each of many devices, with
  good noise and with noise that fails completely and is the same every time;
- `replay`: the same noise with other questions, other wagers and other players gives the same
  draws.

Claimed: an attacker without the noise and without the state predicts no draw, if SHA-256 has its
assumed properties. Not claimed: that a board's noise has the entropy that its machine file claims.
It cannot be shown without the board; `sp800_90b` assesses samples of it.
"""
