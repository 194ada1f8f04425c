"""A mail provider that does as it is told: real SMTP with PIPELINING and RSET, and a journal that is on the disk
before an answer is on the wire. Arguments: the journal, then --narrow for tiny socket buffers. Prints "ready PORT".

What it does stands in the recipient's local part: `name+step-step`, one step per attempt, the last one repeats.
  accept        takes the message and says so
  slow<ms>      takes it, says so that much later
  drop          takes it, closes without an answer
  refuse<ms>    550 after the content, that much later; not taken
  busy          451 after the content; not taken
  hang          never answers the content; not taken
  stall<ms>     354 that much later
  cutdata       closes instead of 354
  cutcontent    closes in the middle of the content

A line of the journal: began (DATA was heard), at, to, attempt, step, heard (how far it came: data, content, message), id, taken."""

import asyncio
import json
import os
import re
import socket
import sys
import time

SMALLEST_BUFFER = 4096
SMALLEST_SEGMENT = 536


class Journal:
    """Append only. Lines that wait while the disk is busy are written down by one fsync together."""

    def __init__(self, path):
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.waiting = []
        self.written = 0
        self.safe = 0
        self.disk = asyncio.Lock()

    async def keep(self, line):
        self.waiting.append(json.dumps(line) + "\n")
        self.written += 1
        mine = self.written
        async with self.disk:
            if self.safe >= mine:
                return
            lines, self.waiting = self.waiting, []
            last = self.written
            os.write(self.file, "".join(lines).encode())
            await asyncio.get_running_loop().run_in_executor(None, os.fdatasync, self.file)
            self.safe = last


class Script:
    """What to do with the attempts for each recipient."""

    def __init__(self):
        self.attempts = {}

    def next_step(self, address):
        number = self.attempts[address] = self.attempts.get(address, 0) + 1
        steps = address.split("@")[0].partition("+")[2].split("-")
        word, delay = re.fullmatch(r"([a-z]*)(\d*)", steps[min(number, len(steps)) - 1]).groups()
        return number, word or "accept", int(delay or 0) / 1000


class Conversation:
    def __init__(self, journal, script, reader, writer):
        self.journal, self.script, self.reader, self.writer = journal, script, reader, writer
        self.to = None

    def say(self, line):
        self.writer.write(line.encode() + b"\r\n")

    async def note(self, heard, taken=False, name=None):
        number, word, _ = self.step
        await self.journal.keep({"began": self.began, "at": time.time(), "to": self.to, "attempt": number, "step": word, "heard": heard,
                                 "id": name, "taken": taken})

    async def serve(self):
        self.say("220 provider.example ESMTP")
        while line := await self.reader.readline():
            verb = line[:4].upper().strip()
            if verb == b"EHLO":
                self.say("250-provider.example\r\n250-PIPELINING\r\n250 SIZE 50000000")
            elif verb == b"RCPT":
                self.to = re.search(r"<(.*?)>", line.decode())[1]
                self.say("250 2.1.5 Ok")
            elif verb == b"DATA":
                self.began = time.time()
                self.step = self.script.next_step(self.to)
                if not await self.take_message():
                    return
            elif verb == b"QUIT":
                self.say("221 2.0.0 Bye")
                return
            elif verb in (b"HELO", b"MAIL", b"RSET", b"NOOP"):
                self.say("250 2.0.0 Ok")
            else:
                self.say("502 5.5.2 What?")

    async def take_message(self):
        """False when the connection is to be closed."""
        _, word, delay = self.step
        if word == "cutdata":
            await self.note("data")
            return False
        if word == "stall":
            await self.note("data")
            await asyncio.sleep(delay)
        self.say("354 Go ahead")
        name = None
        while (line := await self.reader.readline()) != b".\r\n":
            if not line:
                await self.note("content", name=name) # they left before the dot
                return False
            if name is None and line.lower().startswith(b"message-id:"):
                name = line.split(b":", 1)[1].strip().decode()
            if word == "cutcontent" and name is not None:
                await self.note("content", name=name)
                return False
        return await self.answer(name)

    async def answer(self, name):
        _, word, delay = self.step
        taken = word in ("accept", "slow", "drop", "stall")
        await self.note("message", taken, name)
        if word == "drop":
            return False
        if word == "hang":
            await self.reader.read()
            return False
        if word in ("slow", "refuse"):
            await asyncio.sleep(delay)
        if taken:
            self.say(f"250 2.0.0 Ok: queued as P{self.journal.written}")
        else:
            self.say("451 4.3.2 Busy" if word == "busy" else "550 5.6.0 This content is refused")
        return True


async def main():
    journal, script = Journal(sys.argv[1]), Script()

    async def meet(reader, writer):
        try:
            await Conversation(journal, script, reader, writer).serve()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass # the other side is often killed
        finally:
            writer.close()

    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    if "--narrow" in sys.argv: # so that a content of a megabyte cannot hide in the buffers of two sockets
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALLEST_BUFFER)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SMALLEST_SEGMENT)
    server = await asyncio.start_server(meet, sock=listener)
    print("ready", listener.getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
