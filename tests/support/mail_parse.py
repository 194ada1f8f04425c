"""Reads e-mails with Python's own parser, which shares no code with the composer, and prints what a
reader sees: one line "path field hex" for each field. Text parts keep their line ends."""

import email
import email.header
import email.policy
import email.utils
import sys


def decoded_name(raw_header):
    # Before Python 3.13 the default policy kept the blank between two encoded words of a name
    # (RFC 2047 6.2 says it is none); the older decoder has it right.
    name, _ = email.utils.parseaddr(raw_header.replace("\r\n", "").replace("\n", ""))
    return str(email.header.make_header(email.header.decode_header(name)))


def raw_value(message, wanted):
    # Without the detour through Header objects, which an address beyond ASCII takes.
    return next(value for name, value in message.raw_items() if name.lower() == wanted)


def fields(raw):
    seen = email.message_from_bytes(raw, policy=email.policy.default)
    plain = email.message_from_bytes(raw, policy=email.policy.compat32)
    yield "defects", " ".join(type(d).__name__ for part in seen.walk() for d in part.defects)
    yield "headers", " ".join(seen.keys())
    yield "subject", seen["subject"]
    yield "date", str(int(seen["date"].datetime.timestamp()))
    yield "message_id", plain["message-id"]
    yield "auto_submitted", seen["auto-submitted"]
    for who in ("from", "to"):
        yield who + "_count", str(len(seen[who].addresses))
        yield who + "_name", decoded_name(raw_value(plain, who))
        yield who + "_address", seen[who].addresses[0].addr_spec
    for kind in ("plain", "html"):
        part = seen.get_body((kind,))
        if part is not None:
            yield kind, part.get_content()


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for field, value in fields(file.read()):
            print(path, field, value.encode("utf-8", "surrogateescape").hex() or "-")
