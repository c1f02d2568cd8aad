"""`cutcard certify evidence`: a measurement of a built machine, written as an evidence file."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cutcard.cli.options import refuse
from cutcard.keys.passphrase import PassphraseFile
from rng_certification.cli.report_options import KeyName, signer_of

if TYPE_CHECKING:
    from cutcard.machines import Machine
    from rng_certification.campaign.evidence import Evidence


class EvidenceKind(StrEnum):
    E = "E"
    F = "F"
    G = "G"


def evidence(
    context: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="E: CSV with the columns intended and actual. F: TOML with a table for each "
            "channel. G: a firmware image.",
        ),
    ],
    layer: Annotated[
        EvidenceKind,
        typer.Option(help="E: real mechanics. F: side channels. G: the image of the device."),
    ],
    machine: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="The machine file of the built machine.")
    ],
    device: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help=("The measured device, for example by its serial number.")
        ),
    ],
    made_by: Annotated[
        str, typer.Option(metavar="TEXT", help="The person or laboratory that measured.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE.json", help="The evidence file to write.")],
    made_on: Annotated[
        str | None,
        typer.Option(metavar="DATE", help=("The day of the measurement (default: today).")),
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(metavar="HEX|FILE", help="G: the key that must have signed the image."),
    ] = None,
    attested: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="G: the answer of `cutcard attest PORT --reference FLASH --json`.",
        ),
    ] = None,
    key: KeyName = None,
    passphrase_file: PassphraseFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Also print the evidence.")] = False,
) -> None:
    """Write a measurement of a built machine as an evidence file, signed with --key.

    `cutcard certify --evidence FILE` reads it. Layer F needs a signature.
    docs/reference/certification-data.md describes the formats. Exit 0: written. Exit 2: the
    measurement is invalid.

    Examples:

      cutcard certify evidence bins.csv --layer E --machine carousel-60 --device "serial 7"
      --made-by "House of Cards" --out mechanics.json

      cutcard certify evidence channels.toml --layer F --machine carousel-60 --device "serial 7"
      --made-by "A laboratory" --out channels.json --key laboratory-2026
    """
    from rng_certification.campaign.evidence import BadEvidenceError
    from rng_certification.campaign.product import BadProductError

    if layer is not EvidenceKind.G:
        refuse(context, "only valid with --layer G", "public_key", "attested")
    elif public_key is None:
        raise typer.BadParameter(
            "layer G needs the key that signs images", param_hint="--public-key"
        )
    signer = signer_of(key, passphrase_file, as_json)
    made = {
        "device": device,
        "made_by": made_by,
        "made_on": made_on or datetime.now(UTC).date().isoformat(),
    }
    try:
        found = _measured(layer, source, machine, made, public_key or "", attested)
    except (BadEvidenceError, BadProductError) as bad:
        raise typer.BadParameter(str(bad)) from bad
    if signer is not None:
        found = found.sign(signer)
    text = json.dumps(found.as_json(), indent=1)
    try:
        out.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(
            f"cannot write {out}: {error.strerror}", param_hint="--out"
        ) from error
    if as_json:
        print(text)
        return
    typer.echo(f"{out}: evidence for layer {layer}, {'signed' if signer else 'not signed'}.")


def _measured(
    layer: EvidenceKind,
    source: Path,
    machine: str,
    made: dict[str, str],
    public_key: str,
    attested: Path | None,
) -> Evidence:
    from rng_certification.campaign.evidence import FORMAT, outcomes_in, read_evidence
    from rng_certification.campaign.product import Product

    product = Product.of(machine)
    if layer is EvidenceKind.E:
        outcomes, wrong, data = outcomes_in(source)
        figures: dict[str, Any] = {"outcomes": outcomes, "wrong": wrong}
    elif layer is EvidenceKind.F:
        channels, data = _channels(source)
        figures = {"channels": channels}
    else:
        figures, data = _image(source, product.machine, public_key, attested)
    return read_evidence(
        {
            "format": FORMAT,
            "layer": str(layer),
            "machine_sha256": product.sha256,
            **made,
            "data": data,
            "figures": figures,
            "signature": None,
        }
    )


def _channels(source: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    from cutcard import untrusted
    from rng_certification.campaign.evidence import BadEvidenceError, described

    try:
        raw = untrusted.content(source, untrusted.MOST_TOML)
        return untrusted.toml_from(untrusted.text_of(raw)), described(source, raw)
    except OSError as error:
        raise BadEvidenceError(f"cannot read {source}: {error.strerror}") from None
    except untrusted.BadContentError as error:
        raise BadEvidenceError(f"{source}: {error}") from None


def _image(
    source: Path, machine: Machine, public_key: str, attested: Path | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Require the installed firmware and this machine in the image; the signature is a finding."""
    from cutcard import untrusted
    from cutcard.image.build import BuildError, files
    from cutcard.image.image import Image, ImageError
    from cutcard.keys.public_half import BadPublicKeyError, read_public_key
    from rng_certification.base.fingerprints import digest_of, fingerprints
    from rng_certification.campaign.evidence import BadEvidenceError, described

    try:
        trusted = read_public_key(public_key)
        image = Image.read(source)
        installed = files(image.boards[0], machine)
        differing = sorted(
            {file.name for file in image.files if installed.get(file.name) != file.data}
            | (installed.keys() - {file.name for file in image.files})
        )
        if differing:
            raise BadEvidenceError(
                f"{source} does not have the firmware and machine of this certificate: "
                f"{', '.join(differing[:5])} differ. Build it again with `cutcard image "
                "build`"
            )
        agrees = False
        if attested is not None:
            answer = untrusted.read_json(attested)
            agrees = isinstance(answer, dict) and answer.get("agrees") is True
    except (BadPublicKeyError, BuildError, ImageError, untrusted.BadContentError) as error:
        raise BadEvidenceError(f"{source}: {error}") from None
    except OSError as error:
        raise BadEvidenceError(f"cannot read {error.filename}: {error.strerror}") from None
    try:
        valid = image.comes_from(trusted)
    except ImageError:
        valid = False
    data = described(source, image.data)
    return {
        "image_sha256": data["sha256"],
        "firmware_sha256": digest_of(fingerprints()["firmware"]),
        "signature_valid": valid,
        "attested": agrees,
    }, data
