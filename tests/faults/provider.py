"""A mail provider that does as it is told: real SMTP with PIPELINING and RSET, and a journal that is on the disk
before an answer is on the wire. Prints "ready PORT". Arguments: the journal, then any of
  --narrow             tiny socket buffers
  --port N             instead of a free one
  --meet WORD:N,...    how the first N connections are met, in turn: silent, close, huge (a greeting without end), or a
                       code that greets them (421, 554)
  --auth N             asks for a password and refuses the first N times
  --tls CERT KEY       offers STARTTLS

What it does with a message stands in the recipient's local part: `name+step-step`, one step per attempt, the last one repeats.
  accept        takes the message and says so
  slow<ms>      takes it, says so that much later
  drop          takes it, closes without an answer
  refuse<ms>    550 after the content, that much later; not taken
  busy          451 after the content; not taken
  hang          never answers the content; not taken
  stall<ms>     354 that much later
  cutdata       closes instead of 354
  cutcontent    closes in the middle of the content
  shut          closes right after 354
  rcpt<code> data<code> dot<code>   that reply to RCPT, to DATA, to the content; 421 closes as well; never taken, save
                after rcpt251
  many          a refusal of three lines after the content
  hangrcpt hangdata   never answers RCPT, DATA
  longrcpt long a line of 10 MB instead of a reply to RCPT, to the content (which was taken)
  drip          takes it and says so, a byte a second

A line of the journal: began (RCPT was heard), at, to, attempt, step, heard (how far it came: rcpt, data, content,
message), id, taken."""

import asyncio
import json
import os
import re
import socket
import ssl
import sys
import time

TEXTS = {421: "4.7.0 Closing", 450: "4.2.0 Greylisted", 451: "4.3.0 Later", 452: "4.2.2 Full", 550: "5.1.1 Unknown",
         552: "5.2.2 Full", 553: "5.1.3 Bad syntax", 554: "5.7.1 Policy", 251: "2.1.5 Will forward", 999: "What?"}
AFTER_CONTENT = {452: "4.3.1 Full", 550: "5.7.1 Policy", 552: "5.3.4 Too large", 554: "5.6.0 Content"}
LONG_BYTES = 10_000_000
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
    def __init__(self, journal, script, manners, reader, writer):
        self.journal, self.script, self.manners, self.reader, self.writer = journal, script, manners, reader, writer
        self.to, self.secure = None, False

    def say(self, line):
        self.writer.write(line.encode() + b"\r\n")

    async def say_endlessly(self, start):
        self.writer.write(start)
        for _ in range(LONG_BYTES // 100_000):
            self.writer.write(b"x" * 100_000)
            await self.writer.drain()
        self.say("")

    def say_code(self, code, texts):
        """With the address in it, as many do; it must not get into anybody's log. False: to be closed."""
        self.say(f"{code} {texts.get(code, TEXTS[code])} <{self.to}>")
        return code != 421

    async def note(self, heard, taken=False, name=None):
        number, word, _ = self.step
        await self.journal.keep({"began": self.began, "at": time.time(), "to": self.to, "attempt": number, "step": word, "heard": heard,
                                 "id": name, "taken": taken})

    async def greet(self):
        """False when that was all."""
        manner = self.manners.next_meeting()
        if manner == "silent":
            await self.reader.read()
        elif manner == "huge":
            await self.say_endlessly(b"220 ")
        elif manner == "" or manner.isdigit():
            self.say(f"{manner or 220} provider.example ESMTP")
        return manner == ""

    async def serve(self):
        if not await self.greet():
            return
        while line := await self.reader.readline():
            verb = line[:4].upper().strip()
            if verb == b"EHLO":
                tls = "250-STARTTLS\r\n" if self.manners.tls and not self.secure else ""
                auth = "250-AUTH PLAIN\r\n" if self.manners.auth is not None else ""
                self.say(f"250-provider.example\r\n{tls}{auth}250-PIPELINING\r\n250 SIZE 50000000")
            elif verb == b"STAR":
                self.say("220 2.0.0 Go ahead")
                await self.writer.start_tls(self.manners.tls)
                self.secure = True
            elif verb == b"AUTH":
                self.say("235 2.7.0 Ok" if self.manners.lets_in() else "535 5.7.8 Bad credentials")
            elif verb == b"RCPT":
                self.to = re.search(r"<(.*?)>", line.decode())[1]
                if not await self.take_recipient():
                    return
            elif verb == b"DATA":
                if self.refused: # we said so at RCPT, and they had sent on already
                    self.say("554 5.5.1 No valid recipients")
                elif not await self.take_message():
                    return
            elif verb == b"QUIT":
                self.say("221 2.0.0 Bye")
                return
            elif verb in (b"HELO", b"MAIL", b"RSET", b"NOOP"):
                self.say("250 2.0.0 Ok")
            else:
                self.say("502 5.5.2 What?")

    async def take_recipient(self):
        """False when the connection is to be closed."""
        self.began, self.refused = time.time(), False
        self.step = self.script.next_step(self.to)
        _, word, delay = self.step
        if word == "rcpt" and delay != 0.251:
            self.refused = True
            await self.note("rcpt")
            return self.say_code(int(delay * 1000), TEXTS)
        if word == "hangrcpt":
            await self.note("rcpt")
            await self.reader.read()
            return False
        if word == "longrcpt":
            await self.note("rcpt")
            await self.say_endlessly(b"250 ")
            return False
        self.say("251 2.1.5 Will forward" if word == "rcpt" else "250 2.1.5 Ok")
        return True

    async def take_message(self):
        """False when the connection is to be closed."""
        _, word, delay = self.step
        if word == "data":
            await self.note("data")
            return self.say_code(int(delay * 1000), TEXTS)
        if word == "hangdata":
            await self.note("data")
            await self.reader.read()
            return False
        if word == "cutdata":
            await self.note("data")
            return False
        if word == "stall":
            await self.note("data")
            await asyncio.sleep(delay)
        self.say("354 Go ahead")
        if word == "shut":
            await self.note("data")
            return False
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
        taken = word in ("accept", "slow", "drop", "stall", "rcpt", "long", "drip")
        await self.note("message", taken, name)
        if word == "drop":
            return False
        if word == "hang":
            await self.reader.read()
            return False
        if word in ("slow", "refuse"):
            await asyncio.sleep(delay)
        if word == "long":
            await self.say_endlessly(b"250 ")
            return False
        if word == "drip":
            for byte in b"250 2.0.0 Ok: queued\r\n":
                self.writer.write(bytes([byte]))
                await asyncio.sleep(1)
        elif taken:
            self.say(f"250 2.0.0 Ok: queued as P{self.journal.written}")
        elif word == "dot":
            return self.say_code(int(delay * 1000), AFTER_CONTENT)
        elif word == "many":
            self.say("550-5.7.1 250 lines could stand here\r\n550-5.7.1\r\n550 5.7.1 Refused")
        else:
            self.say("451 4.3.2 Busy" if word == "busy" else "550 5.6.0 This content is refused")
        return True


class Manners:
    """What it does before any message."""

    def __init__(self, words):
        def after(option, count=1):
            return words[words.index(option) + 1:][:count] if option in words else None
        meet, auth, tls, port = after("--meet"), after("--auth"), after("--tls", 2), after("--port")
        self.meetings = [word for one in (meet[0].split(",") if meet else ()) for word, _, times in [one.partition(":")]
                         for _ in range(int(times))]
        self.auth = int(auth[0]) if auth else None
        self.port = int(port[0]) if port else 0
        self.tls = None
        if tls:
            self.tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self.tls.load_cert_chain(*tls)

    def next_meeting(self):
        return self.meetings.pop(0) if self.meetings else ""

    def lets_in(self):
        self.auth -= 1
        return self.auth < 0


async def main():
    journal, script, manners = Journal(sys.argv[1]), Script(), Manners(sys.argv[2:])

    async def meet(reader, writer):
        try:
            await Conversation(journal, script, manners, reader, writer).serve()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass # the other side is often killed
        finally:
            writer.close()

    listener = socket.create_server(("127.0.0.1", manners.port), backlog=512)
    if "--narrow" in sys.argv: # so that a content of a megabyte cannot hide in the buffers of two sockets
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALLEST_BUFFER)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SMALLEST_SEGMENT)
    server = await asyncio.start_server(meet, sock=listener)
    print("ready", listener.getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
