"""A mail server written by others (aiosmtpd), with STARTTLS and AUTH demanded. Arguments: directory for
messages, certificate, key. Prints "ready PORT"; ends when its standard input does."""

import asyncio
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

directory, certificate, key = sys.argv[1:]


class Mailbox:
    count = 0

    async def handle_DATA(self, server, session, envelope):
        Mailbox.count += 1
        header = f"X-Peer-Rcpt: {','.join(envelope.rcpt_tos)}\r\n".encode()
        draft = pathlib.Path(directory, "draft")
        draft.write_bytes(header + envelope.original_content)
        draft.rename(pathlib.Path(directory, f"{Mailbox.count}.eml"))
        return f"250 2.0.0 Ok: queued as AIO{Mailbox.count}"


def authenticate(server, session, envelope, mechanism, data):
    good = (data.login, data.password) == (b"ana", b"sesame")
    return AuthResult(success=good, handled=False)


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Mailbox(), hostname="peer.example", tls_context=context, require_starttls=True,
                     auth_required=True, authenticator=authenticate, enable_SMTPUTF8=True, loop=loop),
        "127.0.0.1", 0)
    print("ready", server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


asyncio.run(main())
