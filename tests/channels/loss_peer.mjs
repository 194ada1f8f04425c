// A peer that loses answers: it reads a request whole, counts it under its id, and then plays what the request asked
// for. What it counts was processed: an id counted twice is a push that somebody saw twice.
//
//   node loss_peer.mjs CERTIFICATE.pem KEY.pem      (certificate of localhost and 127.0.0.1)
//
// Says "ready {json}" with its ports: h1 speaks HTTP/1.1 in clear text, h2 HTTP/2 over TLS and nothing else; the door
// tells in JSON how often each id was counted. Ends with its standard input. A request carries x-id and x-play:
//   fine    200
//   cut     the connection is closed, without a byte of an answer
//   rst     the same with a TCP reset
//   half    half of the status line; then the connection is closed (h1 only)
//   head    the answer's headers, and half of its body; then the connection is closed
//   reset   RST_STREAM, INTERNAL_ERROR (h2 only)
//   cancel  RST_STREAM, CANCEL, after the answer's headers (h2 only)
// And before the body was read, so without being counted:
//   early        the connection is closed
//   earlyreset   RST_STREAM, INTERNAL_ERROR (h2 only)
//   earlyanswer  the answer's headers, and nothing more
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';

const [cert, key] = process.argv.slice(2, 4).map(file => fs.readFileSync(file));
const counts = {};

function counted(headers) {
  const id = headers['x-id'];
  counts[id] = (counts[id] ?? 0) + 1;
  return headers['x-play'];
}

const h1 = http.createServer((request, response) => {
  request.on('error', () => {});
  if (request.headers['x-play'] === 'early') return request.socket.destroy();
  if (request.headers['x-play'] === 'earlyanswer')
    return request.socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n');
  request.resume().on('end', () => {
    const socket = request.socket;
    const last = words => socket.end(words, () => socket.destroy());
    switch (counted(request.headers)) {
    case 'cut': return socket.destroy();
    case 'rst': return socket.resetAndDestroy();
    case 'half': return last('HTTP/1.1 20');
    case 'head': return last('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfi');
    default: return response.end('fine');
    }
  });
});
h1.keepAliveTimeout = 60_000;

const h2 = http2.createSecureServer({cert, key});
h2.on('sessionError', () => {});
h2.on('secureConnection', socket => socket.on('error', () => {}));
h2.on('session', session => session.on('error', () => {}));
const sockets = new Map(); // TCP, by the client's port
h2.on('connection', socket => {
  sockets.set(socket.remotePort, socket);
  socket.on('error', () => {}).on('close', () => sockets.delete(socket.remotePort));
});

h2.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  if (headers['x-play'] === 'early') return stream.session.destroy();
  if (headers['x-play'] === 'earlyreset') return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
  if (headers['x-play'] === 'earlyanswer') return stream.respond({':status': 200, 'content-length': 4});
  stream.resume().on('end', () => {
    const session = stream.session;
    if (stream.destroyed || !session || session.destroyed) return; // went with its connection, unread
    const answer = body => stream.respond({':status': 200, 'content-length': 4}) ?? stream.write(body);
    switch (counted(headers)) {
    case 'cut': return session.destroy();
    case 'rst': return sockets.get(session.socket.remotePort).resetAndDestroy();
    case 'head': return answer('fi'), setImmediate(() => session.destroy());
    case 'reset': return stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    case 'cancel': return answer('fi'), stream.close(http2.constants.NGHTTP2_CANCEL);
    default: stream.respond({':status': 200}), stream.end('fine');
    }
  });
});

const door = http.createServer((request, response) => {
  request.resume().on('end', () => response.end(JSON.stringify(counts)));
});

const servers = {h1, h2, door};
await Promise.all(Object.values(servers).map(server => new Promise(done => server.listen(0, '127.0.0.1', done))));
const ports = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server.address().port]));
console.log(`ready ${JSON.stringify(ports)}`);
process.stdin.on('end', () => process.exit(0)).resume();
