"""A gate between services and PostgreSQL that understands what passes (protocol version 3, in plain text) and does to
it what networks and crashes do, at points named by the product's own words: a prepared statement carries the name of
its file in storage/sql, a transaction the names of those that ran in it. Argument: the server's port. Prints
"ready PORT:CONTROL". On the control port one JSON object a line is an order, answered by one line:

  {"rule": NAME, "at": "before" | "after", "of": [STATEMENT..], "commit": BOOL, "word": TEXT,
   "do": "cut" | "hold" | "delay", "ms": N, "times": N, "chance": X, "seed": N}
        before: what was asked is not passed on; after: it was done, and its answer is not passed on. Of a statement,
        or of the COMMIT of a transaction in which one ran. The word must stand in the question or its answer. Every
        statement when `of` is empty. Cut ends both sides; hold keeps the conversation standing until its client is
        gone or the rule is dropped.
  {"drop": NAME}    {"silent": BOOL}: bytes are taken on both sides and none passed on    {"tell": true}
"""

import asyncio
import collections
import json
import random
import sys
import time

SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST = 80877103, 80877104, 80877102
QUESTION_ENDS, READY = b"QSXp", ord("Z")
LOOK_AGAIN_S = 0.01


class Rule:
    def __init__(self, order):
        self.at, self.of, self.do = order["at"], tuple(order.get("of", ())), order["do"]
        self.commit, self.word = order.get("commit", False), order.get("word", "").encode()
        self.seconds = order.get("ms", 0) / 1000
        self.left = order.get("times")
        self.chance, self.random = order.get("chance", 1.0), random.Random(order.get("seed", 0))
        self.met, self.done, self.committed, self.held = 0, 0, 0, 0
        self.dropped = False

    def wants(self, at, question, inside):
        """Counts, and says whether it acts this time."""
        if self.dropped or at != self.at or (self.commit and question.statement != "commit"):
            return False
        asked = inside if self.commit else [(question.statement, question.text)]
        if not any((not self.of or name in self.of) and self.word in text for name, text in asked):
            return False
        self.met += 1
        if self.left == 0 or self.random.random() >= self.chance:
            return False
        if self.left is not None:
            self.left -= 1
        self.done += 1
        return True

    def told(self):
        return {"met": self.met, "done": self.done, "committed": self.committed, "held": self.held}


class Question:
    """Everything up to the point where the client waits."""

    def __init__(self):
        self.text, self.statement = bytearray(), ""

    def take(self, kind, head, body):
        self.text += head + body
        if kind == ord("Q"):
            self.statement = body.split(b";")[0].rstrip(b"\0").split()[0].decode().lower()
        elif kind == ord("B"):
            self.statement = body.split(b"\0", 2)[1].decode()


async def read_message(reader):
    head = await reader.readexactly(5)
    return head[0], head, await reader.readexactly(int.from_bytes(head[1:], "big") - 4)


class Passage:
    """One connection. The side `up` goes to the server, the side `down` to the client."""

    def __init__(self, gate, reader, writer):
        self.gate, self.reader, self.writer = gate, reader, writer
        self.asked, self.inside, self.is_ready, self.is_over = collections.deque(), [], False, False
        self.waits, self.since = False, time.time() # since when the client waits for an answer

    async def serve(self):
        self.from_server, self.to_server = await asyncio.open_connection("127.0.0.1", self.gate.server, limit=2 ** 20)
        try:
            if await self.meet():
                sides = [asyncio.create_task(one) for one in (self.up(), self.down())]
                await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
                for side in sides:
                    side.cancel()
                for failed in await asyncio.gather(*sides, return_exceptions=True):
                    if isinstance(failed, Exception) and not isinstance(failed, (EOFError, OSError)):
                        raise failed
        finally:
            if self.gate.silent and (self.waits or self.asked):
                self.gate.left.append(time.time() - max(self.since, self.gate.silent_since))
            self.writer.transport.abort()
            await self.gate.until_it_speaks() # the server does not hear of it either
            self.cut()

    def cut(self):
        self.is_over = True
        for writer in (self.writer, self.to_server):
            writer.transport.abort()

    async def meet(self):
        """The words before the first message; False when there is nothing to understand."""
        while True:
            head = await self.reader.readexactly(8)
            length, code = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:], "big")
            rest = await self.reader.readexactly(length - 8)
            await self.flow()
            self.to_server.write(head + rest)
            if code == CANCEL_REQUEST:
                await self.to_server.drain()
                return False
            if code not in (SSL_REQUEST, GSS_REQUEST):
                return True
            answer = await self.from_server.readexactly(1)
            if answer != b"N":
                raise RuntimeError("the gate cannot look into an encrypted conversation")
            self.writer.write(answer)

    async def flow(self):
        """While the gate is silent nothing passes."""
        while self.gate.silent:
            self.waits = True
            if self.reader.at_eof():
                raise EOFError
            await asyncio.sleep(LOOK_AGAIN_S)
        self.waits = False

    async def up(self):
        while not self.is_over:
            question = Question()
            while not question.text or kind not in QUESTION_ENDS:
                kind, head, body = await read_message(self.reader)
                question.take(kind, head, body)
            self.since = time.time()
            await self.flow()
            if self.is_ready:
                if question.statement in ("begin", "rollback"):
                    self.inside = []
                if not await self.obey("before", question):
                    return
                self.asked.append(question)
                self.inside.append((question.statement, question.text))
            self.to_server.write(question.text)

    async def down(self):
        answer = bytearray()
        try:
            while not self.is_over:
                kind, head, body = await read_message(self.from_server)
                answer += head + body
                if kind != READY and self.is_ready:
                    continue
                await self.flow()
                if self.is_ready and self.asked:
                    question = self.asked.popleft()
                    question.text += answer
                    if not await self.obey("after", question):
                        return
                self.is_ready = self.is_ready or kind == READY
                self.writer.write(answer)
                answer = bytearray()
        except asyncio.IncompleteReadError: # its last words, such as why it ends
            self.writer.write(answer)
            await self.writer.drain()

    async def obey(self, at, question):
        """What the rules do here; False when this connection is over."""
        rule = self.gate.rule_for(at, question, self.inside)
        if rule is None:
            return True
        if at == "after" and b"COMMIT\0" in question.text:
            rule.committed += 1
        if rule.do == "delay":
            await asyncio.sleep(rule.seconds)
        elif rule.do == "cut":
            self.cut()
        else:
            rule.held += 1
            try:
                while not rule.dropped and not self.is_over and not self.reader.at_eof():
                    await asyncio.sleep(LOOK_AGAIN_S)
            finally: # also when the client's end is seen elsewhere first
                rule.held -= 1
            if not rule.dropped:
                self.cut()
        return not self.is_over


class Gate:
    def __init__(self, server):
        self.server, self.rules = server, {}
        self.silent, self.silent_since = False, 0.0
        self.left = [] # seconds after which clients gave up a question that met the silence

    def rule_for(self, at, question, inside):
        return next((rule for rule in self.rules.values() if rule.wants(at, question, inside)), None)

    async def until_it_speaks(self):
        while self.silent:
            await asyncio.sleep(LOOK_AGAIN_S)

    async def meet_client(self, reader, writer):
        try:
            await Passage(self, reader, writer).serve()
        except (EOFError, OSError):
            pass # either side may be gone at any time

    def obey(self, order):
        if "rule" in order:
            self.rules[order["rule"]] = Rule(order)
        elif "drop" in order:
            self.rules[order["drop"]].dropped = True
        elif "silent" in order:
            self.silent, self.silent_since = order["silent"], time.time()
        return {"rules": {name: rule.told() for name, rule in self.rules.items()}, "left": self.left}

    async def meet_control(self, reader, writer):
        while line := await reader.readline():
            writer.write(json.dumps(self.obey(json.loads(line))).encode() + b"\n")
            await writer.drain()


async def main():
    gate = Gate(int(sys.argv[1]))
    doors = [await asyncio.start_server(meet, "127.0.0.1", 0, limit=2 ** 20, backlog=512)
             for meet in (gate.meet_client, gate.meet_control)]
    print("ready", ":".join(str(door.sockets[0].getsockname()[1]) for door in doors), flush=True)
    await asyncio.gather(*(door.serve_forever() for door in doors))


asyncio.run(main())
