// Those our pushes and mails go to: programs by others where there are any, our doubles where there are none.
import {execFileSync, spawn} from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const require = createRequire(import.meta.url);
const Server = require('web-push-testing/src/server.js');
const {PushApiModel} = require('web-push-testing/src/PushApiModel.js');
const support = path.join(path.dirname(new URL(import.meta.url).pathname), '../support');

export async function post(url, body) {
  const headers = {'content-type': 'application/json'};
  const answer = await fetch(url, {method: 'POST', headers, body: JSON.stringify(body)});
  return {status: answer.status, ...await answer.json().catch(() => ({}))};
}

// A certificate of this machine's own.
export function certificate(room) {
  const files = {key: `${room}/key.pem`, cert: `${room}/cert.pem`};
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1',
    '-keyout', files.key, '-out', files.cert], {stdio: 'pipe'});
  return files;
}

// A program that says "ready WORDS" and ends with its standard input.
async function ready(program, words) {
  const child = spawn(program, words);
  const log = [];
  child.stderr.on('data', text => log.push(text));
  const lines = readline.createInterface({input: child.stdout});
  const said = await new Promise((done, fail) => {
    lines.on('line', line => line.startsWith('ready ') && done(line.slice('ready '.length)));
    child.on('exit', code => fail(new Error(`${words[0]} ended (${code})\n${log.join('')}`)));
  });
  return {said, close: () => child.stdin.end()};
}

async function listening(server, host = '127.0.0.1') {
  await new Promise(done => server.listen(0, host, done));
  return server.address().port;
}

// Our doubles of FCM, APNs and a push service; push_peers.mjs says what they play.
export async function doubles({cert, key}) {
  const {said, close} = await ready('node', [`${support}/push_peers.mjs`, cert, key]);
  const ports = JSON.parse(said);
  return {ports, close, ask: (what, body = {}) => post(`http://127.0.0.1:${ports.door}/${what}`, body)};
}

// A push service by others (npm web-push-testing): checks our VAPID token, opens what we sealed.
export async function pushService() {
  const model = new PushApiModel();
  const service = new Server(model, 0);
  const say = console.log;
  console.log = text => String(text).startsWith('Server running') ? 0 : say(text);
  service.startServer();
  await new Promise(done => service._server.listening ? done() : service._server.once('listening', done));
  const base = `http://localhost:${service._server.address().port}`;
  model.notifyUrl = `${base}/notify/`;
  return {
    base, model, close: () => service._server.close(),
    // A browser's subscription, as PushSubscription.toJSON() writes it.
    subscribe: async publicKey => {
      const {data} = await post(`${base}/subscribe`, {userVisibleOnly: 'true', applicationServerKey: publicKey});
      const keys = Object.fromEntries(Object.entries(data.keys).map(([name, key]) => [name, urlSafe(key)]));
      return {hash: data.clientHash, endpoint: data.endpoint, keys};
    },
    opened: async hash => (await post(`${base}/get-notifications`, {clientHash: hash})).data.messages,
  };
}

const urlSafe = text => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

// HTTPS, HTTP/2 or 1.1 as the client likes it. `answer(heard)` gives {status, headers, body}; what it heard is kept.
async function tlsDoor(files, answer) {
  const heard = [];
  const options = {key: fs.readFileSync(files.key), cert: fs.readFileSync(files.cert), allowHTTP1: true};
  const server = http2.createSecureServer(options, async (request, response) => {
    const one = {version: request.httpVersion, path: request.url, headers: request.headers, body: await bodyOf(request)};
    heard.push(one);
    const {status, headers = {}, body = ''} = await answer(one);
    response.writeHead(status, headers);
    response.end(typeof body === 'object' ? JSON.stringify(body) : body);
  });
  const port = await listening(server);
  return {heard, url: `https://localhost:${port}`, close: () => server.close()};
}

// What browsers' push services have and web-push-testing lacks: TLS, and the place of a message (RFC 8030 5).
export async function tlsDoorTo(service, files) {
  const door = await tlsDoor(files, async one => {
    const headers = Object.fromEntries(Object.entries(one.headers).filter(([name]) => !name.startsWith(':')));
    const request = http.request(service.base + one.path, {method: 'POST', headers});
    request.end(one.body);
    const said = await new Promise((done, fail) => request.once('response', done).once('error', fail));
    const body = (await bodyOf(said)).toString();
    return {status: said.statusCode, headers: {location: `${door.url}/m/${door.heard.length}`}, body};
  });
  service.model.notifyUrl = `${door.url}/notify/`;
  return door;
}

// FCM's HTTP v1 and the token endpoint of its service accounts, over TLS as at Google: who asks for a token is
// verified with the account's public key, who sends by the token it was given. `public_key` is set by the test.
export async function fcmOverTls(files) {
  const granted = new Map(); // token -> who asked
  const refused = why => ({status: 401, body: {error: {code: 401, status: 'UNAUTHENTICATED', message: why}}});
  const fcm = await tlsDoor(files, ({path: where, headers, body}) => {
    if (where === '/token') return grant(new URLSearchParams(body.toString()));
    const who = granted.get(/^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]);
    if (!who) return refused('no token of ours');
    if (where !== `/v1/projects/${fcm.project}/messages:send`) return {status: 404};
    return {status: 200, body: {name: `projects/${fcm.project}/messages/${crypto.randomUUID()}`}};
  });
  function grant(form) {
    const [head, claims, signature] = form.get('assertion').split('.');
    const said = JSON.parse(Buffer.from(claims, 'base64url'));
    const signed = Buffer.from(`${head}.${claims}`);
    const whole = crypto.verify('sha256', signed, fcm.public_key, Buffer.from(signature, 'base64url'));
    const alg = JSON.parse(Buffer.from(head, 'base64url')).alg;
    const fits = whole && alg === 'RS256' && said.aud === `${fcm.url}/token` && said.exp > Date.now() / 1000
      && said.scope === 'https://www.googleapis.com/auth/firebase.messaging'
      && form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    if (!fits) return {status: 400, body: {error: 'invalid_grant'}};
    const token = crypto.randomUUID();
    granted.set(token, said.iss);
    return {status: 200, body: {access_token: token, expires_in: 3599, token_type: 'Bearer'}};
  }
  return Object.assign(fcm, {project: 'loja', granted});
}

// A mail server by others (aiosmtpd) that demands STARTTLS and a password; mails are read by Python's own parser.
export async function mailServer(room, files) {
  const directory = `${room}/mails`;
  fs.mkdirSync(directory);
  const {said, close} = await ready('/usr/bin/python3', [`${support}/aiosmtpd_peer.py`, directory, files.cert, files.key]);
  const read = () => fs.readdirSync(directory).filter(name => name.endsWith('.eml')).map(name => {
    const told = execFileSync('/usr/bin/python3', [`${support}/mail_parse.py`, `${directory}/${name}`]).toString();
    const fields = told.trim().split('\n').map(line => line.split(' ').slice(1));
    return Object.fromEntries(fields.map(([field, hex]) => [field, hex === '-' ? '' : Buffer.from(hex, 'hex').toString()]));
  });
  return {port: Number(said), user: 'ana', password: 'sesame', read, close};
}
