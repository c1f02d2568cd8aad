"""Write a machine file for your own shuffler, validate it, and run it on the bench."""

from pathlib import Path
from tempfile import TemporaryDirectory

from cutcard.devices import Shuffler
from cutcard.machines import MachineFileError, load

MY_DRUM = """
name = "my-drum"
kind = "shuffler"
mechanism = "slots"

[bins]
count = 40
capacity = 1

[decks]
most = 1
"""

with TemporaryDirectory() as folder:
    file = Path(folder) / "my-drum.toml"
    file.write_text(MY_DRUM)
    try:
        load(file)
    except MachineFileError as error:
        print("\n".join(error.problems))  # 52 cards do not fit into 40 slots

    file.write_text(MY_DRUM.replace("40", "60"))
    machine = load(file)
    print(f"{machine.name} takes {machine.most_cards} cards")
    with Shuffler.open(f"bench:{file}?decks=1&seed=7") as shuffler:
        shuffler.load(decks=1)
        print(f"{shuffler.machine} deals {shuffler.deal().card}")
