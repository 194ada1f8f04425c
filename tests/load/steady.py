"""An open loop: notifications at Poisson instants with a fixed seed, however slow the answers are."""
import asyncio, json, random, time
from urllib.parse import urlsplit


class Client:
    def __init__(self, address, token, users):
        self.host, self.port = urlsplit(address).hostname, urlsplit(address).port
        self.token, self.users, self.idle, self.answers = token, users, [], []

    async def post(self, n, due):
        body = json.dumps({"user_id": f"u{n % self.users}", "type": "order_shipped", "client_operation_id": f"steady-{n}",
                           "variables": {"name": "Maria", "order": f"A-{n}", "op": f"steady-{n}"}})
        request = (f"POST /v1/notifications HTTP/1.1\r\nHost: arauto\r\nAuthorization: Bearer {self.token}\r\n"
                   f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
        while True:
            kept = bool(self.idle)
            reader, writer = self.idle.pop() if kept else await asyncio.open_connection(self.host, self.port)
            try:
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                break
            except (asyncio.IncompleteReadError, ConnectionError):
                if not kept:  # a connection kept for too long may close; the same operation again is safe
                    raise
        length = next(int(l.split(b":")[1]) for l in head.split(b"\r\n") if l.lower().startswith(b"content-length"))
        await reader.readexactly(length)
        if b"connection: close" in head.lower():
            writer.close()
        else:
            self.idle.append((reader, writer))
        self.answers.append((int(head.split()[1]), time.monotonic() - due))

    async def run(self, rate, seconds):
        chance, due, end, n, open_posts = random.Random(1), time.monotonic(), time.monotonic() + seconds, 0, []
        while due < end:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            open_posts.append(asyncio.create_task(self.post(n, due)))
            n, due = n + 1, due + chance.expovariate(rate)
        await asyncio.gather(*open_posts)
        return self.answers


def run(address, token, users, rate, seconds):
    return asyncio.run(Client(address, token, users).run(rate, seconds))
