"""Stubs of cutcard.rulings."""

class Cell:
    def __init__(self, irregularity: str, stage: Stage, rulebook: str, kind: str, text: str, rules: Rules = (), options: tuple[dict[str, Any], ...] = (), default: str | None = None, orders: tuple[str, ...] = ()): ...
    def as_json(self) -> dict[str, Any]: ...
IRREGULARITIES = "One of `malfunction`, `simultaneous-draw`, `face-up`, `drawn-in-error`, `wrong-cards`, `misdeal`, `box-missed`, `one-card`, `no-wager`, `dealer-missed`, `not-offered`, `absent`, `wager-not-entered`, `jackpot-failure`, `meter-mismatch`, `button-misfire`, `power-failure`, `disruption`, `fraud`, `suspect-shuffle`, `exposed-cards`, `no-burn`, `no-cut-card`, `cut-card`, `cut-card-missed`, `damaged-card`, `shoe-empty`, `malfunction, continuous shuffler`, `malfunction, shoe`, `simultaneous-draw, none disclosed`, `simultaneous-draw, one disclosed`, `simultaneous-draw, both disclosed`, `simultaneous-draw, from a shoe`, `drawn-in-error, not seen`, `drawn-in-error, exposed`, `drawn-in-error, on the dealer's completed hand`, `wrong-cards, unshuffled`, `not-offered, a card; one hand since`, `not-offered, insurance`, `jackpot-failure, button`, `jackpot-failure, meter`, `button-misfire, while offered`, `button-misfire, otherwise`, `power-failure, no outcome yet`, `power-failure, with a pair wager`."
STAGES = "One of `before the first card`, `initial deal`, `after the interim settlement`, `a player's turn`, `the dealer's hand`, `settled`."
class Stage(Enum):
    BEFORE_FIRST_CARD = 'before the first card'
    INITIAL_DEAL = 'initial deal'
    AFTER_INTERIM = 'after the interim settlement'
    PLAYERS_TURN = "a player's turn"
    DEALERS_HAND = "the dealer's hand"
    SETTLED = 'settled'
def in_one_line(cell: Cell) -> str: ...
def matrix(rulebooks: Sequence[str] = ('nz-division-2', 'crown-melbourne-26', 'mbs-free-bet-3', 'uk-blackjack'), irregularities: Sequence[str] = (), stages: Sequence[Stage] = ...) -> Iterator[Cell]: ...
