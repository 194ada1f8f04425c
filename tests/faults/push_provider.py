"""A push provider with a journal, in the words of FCM's HTTP v1 (written from its documents, it is not the service):
what it took is on the disk before the answer is on the wire. The token says what it does:

  accept-*  takes each message
  hold-*    takes the first message of an event and never answers it; answers the later ones
  busy-*    answers 503 to the first message of an event, takes the later ones
  late<ms>-*  takes each message and says so that much later
"""

import asyncio
import json
import os
import re
import sys
import time


class Journal:
    def __init__(self, path):
        self.file = open(path, "a")
        self.seen = {}

    def keep(self, event, message, said):
        tag = message["android"]["notification"]["tag"]
        self.file.write(json.dumps({"event": event, "token": message["token"], "tag": tag, "said": said,
                                    "at": time.time()}) + "\n")
        self.file.flush()
        os.fdatasync(self.file.fileno())

    def times(self, event, token):
        self.seen[event, token] = self.seen.get((event, token), 0) + 1
        return self.seen[event, token]


async def read_request(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
    return head[0].split()[1], await reader.readexactly(int(headers.get("content-length", "0")))


def answer(writer, status, body):
    text = json.dumps(body).encode()
    writer.write(b"HTTP/1.1 %d Said\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % (status, len(text)))
    writer.write(text)


async def serve(journal, reader, writer):
    while True:
        path, body = await read_request(reader)
        if path == "/token":
            answer(writer, 200, {"access_token": "bearer", "expires_in": 3600, "token_type": "Bearer"})
            continue
        message = json.loads(body)["message"]
        event, token = message["data"]["arauto_event_id"], message["token"]
        first = journal.times(event, token) == 1
        if token.startswith("busy-") and first:
            journal.keep(event, message, "503")
            answer(writer, 503, {"error": {"code": 503, "status": "UNAVAILABLE"}})
            continue
        journal.keep(event, message, "taken")
        if token.startswith("hold-") and first:
            await asyncio.sleep(3600)
        if late := re.match(r"late(\d+)-", token):
            await asyncio.sleep(int(late[1]) / 1000)
        answer(writer, 200, {"name": f"projects/p/messages/{event}-{token}"})


async def main():
    journal = Journal(sys.argv[1])

    async def meet(reader, writer):
        try:
            await serve(journal, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass # the other side is often killed
        finally:
            writer.close()

    server = await asyncio.start_server(meet, "127.0.0.1", 0, backlog=512)
    print("ready", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
