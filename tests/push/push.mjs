// See run.sh. Each check is a sentence; what is wrong is said below it.
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import {createRequire} from 'node:module';
import {promisify} from 'node:util';
import ece from 'http_ece';
import webpush from 'web-push';

const require = createRequire(import.meta.url);
const Server = require('web-push-testing/src/server.js');
const {PushApiModel} = require('web-push-testing/src/PushApiModel.js');
const run = promisify(execFile);
const here = path.dirname(new URL(import.meta.url).pathname);
const ours = process.env.ARAUTO_CHANNELS_TEST ?? path.join(here, '../../build/tests/channels_test');

let passed = 0;
let failed = 0;
async function check(sentence, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok   ${sentence}`);
  } catch (why) {
    failed += 1;
    console.log(`FAIL ${sentence}\n     ${why.stdout ?? ''}${why.message}`);
  }
}

async function post(url, body) {
  const answer = await fetch(url, {method: 'POST', headers: {'content-type': 'application/json'}, body: JSON.stringify(body)});
  return {status: answer.status, ...await answer.json().catch(() => ({}))};
}

// Our port sends one push; what it must come to is said in words.
const send = (to, wanted) => run(ours, ['--run_test=push_oracle', '--color_output=no'],
                                 {env: {...process.env, ARAUTO_PUSH_ORACLE: JSON.stringify({...to, wanted})}});

const vapid = webpush.generateVAPIDKeys();

// -- a push service by others -------------------------------------------------------------------

const model = new PushApiModel();
const service = new Server(model, 0);
console.log = (say => text => String(text).startsWith('Server running') ? 0 : say(text))(console.log);
service.startServer();
await new Promise(done => service._server.listening ? done() : service._server.once('listening', done));
const base = `http://localhost:${service._server.address().port}`;
model.notifyUrl = `${base}/notify/`;

const {data: subscription} = await post(`${base}/subscribe`, {userVisibleOnly: 'true', applicationServerKey: vapid.publicKey});
const url_safe = text => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
const target = {endpoint: subscription.endpoint, p256dh: url_safe(subscription.keys.p256dh), auth: url_safe(subscription.keys.auth),
                private_key: vapid.privateKey};

await check('a push service by others takes our token and opens what we sealed', async () => {
  await send(target, 'accepted');
  const {data} = await post(`${base}/get-notifications`, {clientHash: subscription.clientHash});
  assert.equal(data.messages.length, 1);
  assert.equal(JSON.parse(data.messages[0]).body, 'Olá, João 🎉');
});

await check('a token by another key is refused there', () =>
  send({...target, private_key: webpush.generateVAPIDKeys().privateKey}, 'refused payload_refused'));

await check('an expired subscription is gone', async () => {
  await post(`${base}/expire-subscription/${subscription.clientHash}`, {});
  await send(target, 'bad_address subscription_gone');
});
service._server.close();

await check('http_ece opens a message by our port that it only saw pass', async () => {
  const browser = crypto.createECDH('prime256v1');
  browser.generateKeys();
  const auth = crypto.randomBytes(16);
  let body;
  const ear = http.createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    body = Buffer.concat(pieces);
    response.writeHead(201).end();
  }).listen(0, '127.0.0.1');
  await new Promise(done => ear.once('listening', done));
  await send({endpoint: `http://127.0.0.1:${ear.address().port}/p/1`, p256dh: browser.getPublicKey('base64url'),
              auth: auth.toString('base64url'), private_key: vapid.privateKey}, 'accepted');
  ear.close();
  const plain = ece.decrypt(body, {version: 'aes128gcm', privateKey: browser, authSecret: auth.toString('base64url')});
  assert.equal(JSON.parse(plain).title, 'Loja');
});

// -- our double, by others' client --------------------------------------------------------------

const room = fs.mkdtempSync(path.join(os.tmpdir(), 'arauto-push-'));
await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
                      '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', `${room}/key.pem`, '-out', `${room}/cert.pem`]);
const double = spawn('node', [path.join(here, '../support/push_peers.mjs'), `${room}/cert.pem`, `${room}/key.pem`], {stdio: ['pipe', 'pipe', 'inherit']});
const ports = JSON.parse((await new Promise(done => double.stdout.once('data', done))).toString().split('\n')[0].slice('ready '.length));
const browser = crypto.createECDH('prime256v1');
browser.generateKeys();
const auth = crypto.randomBytes(16).toString('base64url');
await post(`http://127.0.0.1:${ports.door}/expect`, {web: {public_key: vapid.publicKey,
  browser: {d: browser.getPrivateKey('base64url'), p256dh: browser.getPublicKey('base64url'), auth}}});
const agent = new (require('node:https').Agent)({ca: fs.readFileSync(`${room}/cert.pem`)});
const others = (play, keys = vapid) => webpush.sendNotification(
  {endpoint: `https://127.0.0.1:${ports.web}/p/others/${play}`, keys: {p256dh: browser.getPublicKey('base64url'), auth}}, 'from others',
  {vapidDetails: {subject: 'mailto:ops@loja.example', ...keys}, TTL: 60, contentEncoding: 'aes128gcm', agent});

await check("our double takes what others' client sends, and opens it", async () => {
  assert.equal((await others('201')).statusCode, 201);
  const seen = await post(`http://127.0.0.1:${ports.door}/seen`, {});
  assert.equal(seen.bodies['web others'].body, 'from others');
});
await check('our double refuses a token by another key', () =>
  assert.rejects(others('201', webpush.generateVAPIDKeys()), {statusCode: 403}));
await check("our double plays the status it is asked for", () => assert.rejects(others('410'), {statusCode: 410}));

double.stdin.end();
fs.rmSync(room, {recursive: true});
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
