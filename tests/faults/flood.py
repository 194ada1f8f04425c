"""Posts as fast as it is answered: keep-alive connections, one request open on each, one thread."""

import json
import selectors
import socket
import time
import urllib.parse


class Line:
    def __init__(self, where):
        host, port = where.rsplit(":", 1)
        self.link = socket.create_connection((host, int(port)))
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def answer(self):
        """The status, once a whole answer is here."""
        piece = self.link.recv(65536)
        if not piece:
            raise ConnectionError("the service closed a connection of the flood")
        self.received += piece
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return None
        length = next((int(one.split(b":")[1]) for one in head.split(b"\r\n")
                       if one.lower().startswith(b"content-length:")), 0)
        if len(body) < length:
            return None
        self.received = body[length:]
        return int(head.split(b" ", 2)[1])


def pour(url, key, user, numbers, connections=64, seconds=900.0):
    """Posts one notification for each number; gives the statuses with their counts, and the seconds it took."""
    where = urllib.parse.urlsplit(url).netloc
    frame = (f"POST /v1/notifications HTTP/1.1\r\nHost: {where}\r\nAuthorization: Bearer {key}\r\n"
             "Content-Type: application/json\r\nContent-Length: ")
    statuses, told, began, numbers = {}, 0, time.monotonic(), list(numbers)
    waiting = iter(numbers)
    with selectors.DefaultSelector() as ready:
        def ask(line):
            number = next(waiting, None)
            if number is None:
                return
            body = json.dumps({"user_id": user, "type": "fault.probe", "client_operation_id": f"flood-{number}",
                               "variables": {"n": number}})
            line.link.sendall(f"{frame}{len(body)}\r\n\r\n{body}".encode())
        lines = [Line(where) for _ in range(min(connections, len(numbers)))]
        for line in lines:
            ready.register(line.link, selectors.EVENT_READ, line)
            ask(line)
        while told < len(numbers) and time.monotonic() - began < seconds:
            for chosen, _ in ready.select(1.0):
                status = chosen.data.answer()
                if status is None:
                    continue
                told += 1
                statuses[status] = statuses.get(status, 0) + 1
                ask(chosen.data)
        for line in lines:
            line.link.close()
    return statuses, time.monotonic() - began
