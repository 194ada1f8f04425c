"""A thousand peers that take their time, on one thread: idle connections, POSTs that say no length, heads and bodies that
drip. They come within ten seconds. Prints what became of them as JSON. Run by measure.py as a process of its own."""
import asyncio, json, sys, time

host, port, token, crowd, seconds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
POST = f"POST /v1/notifications HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
seen, tally = {}, {"connected": 0}


def count(kind, what):
    kind = seen.setdefault(kind, {})
    kind[what] = kind.get(what, 0) + 1


async def status(reader):
    """Of one answer; None when the connection ended instead."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((int(l.split(b":")[1]) for l in head.split(b"\r\n") if l.lower().startswith(b"content-length:")), 0)
    await reader.readexactly(length)
    return int(head.split(b" ")[1])


async def idle(reader, writer):
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    count("idle", await status(reader))
    await reader.read(1)  # until somebody closes
    count("idle", "closed")


async def without_length(reader, writer):
    while True:
        writer.write(POST.encode() + b"\r\n")
        begun = time.monotonic()
        count("without length", await status(reader))
        tally["slowest_without_length_ms"] = max(tally.get("slowest_without_length_ms", 0), (time.monotonic() - begun) * 1000)
        await asyncio.sleep(4)


async def drip(kind, text, every, reader, writer):
    async def drops():
        for byte in text.encode():
            writer.write(bytes([byte]))
            await asyncio.sleep(every)
    dripping = asyncio.create_task(drops())
    try:
        count(kind, await status(reader))
    finally:
        dripping.cancel()


async def dripping_head(reader, writer):
    await drip("dripping head", POST, 4, reader, writer)


async def dripping_body(reader, writer):
    writer.write((POST + "Content-Length: 200\r\n\r\n").encode())
    await drip("dripping body", "{" + " " * 199, 1, reader, writer)


async def peer(kind, wait, until):
    await asyncio.sleep(wait)
    while time.monotonic() < until:
        writer = None
        try:
            reader, writer = await asyncio.open_connection(host, port)
            tally["connected"] += 1
            await asyncio.wait_for(kind(reader, writer), until - time.monotonic())
        except asyncio.TimeoutError:
            pass
        except (OSError, asyncio.IncompleteReadError):
            count(kind.__name__.replace("_", " "), "cut without an answer")
        finally:
            if writer:
                writer.close()


async def main():
    until = time.monotonic() + seconds
    kinds = [idle, without_length, dripping_head, dripping_body]
    await asyncio.gather(*(peer(kinds[i % 4], i * 10 / crowd, until) for i in range(crowd)))
    print(json.dumps({"seen": {kind: {str(k): v for k, v in what.items()} for kind, what in seen.items()}, **tally}))


asyncio.run(main())
