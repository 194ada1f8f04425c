// See run.sh. Each check is a sentence; what is wrong is said below it.
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';
import ece from 'http_ece';
import webpush from 'web-push';
import {check} from './checks.mjs';
import {certificate, doubles, post, pushService} from './peers.mjs';

const run = promisify(execFile);
const here = path.dirname(new URL(import.meta.url).pathname);
const ours = process.env.ARAUTO_CHANNELS_TEST ?? path.join(here, '../../build/tests/channels_test');

// Our port sends one push; what it must come to is said in words.
const send = (to, wanted) => run(ours, ['--run_test=push_oracle', '--color_output=no'],
                                 {env: {...process.env, ARAUTO_PUSH_ORACLE: JSON.stringify({...to, wanted})}});

const vapid = webpush.generateVAPIDKeys();

// -- a push service by others -------------------------------------------------------------------

const service = await pushService();
const subscription = await service.subscribe(vapid.publicKey);
const target = {endpoint: subscription.endpoint, ...subscription.keys, private_key: vapid.privateKey};

await check('a push service by others takes our token and opens what we sealed', async () => {
  await send(target, 'accepted');
  const messages = await service.opened(subscription.hash);
  assert.equal(messages.length, 1);
  assert.equal(JSON.parse(messages[0]).body, 'Olá, João 🎉');
});

await check('a token by another key is refused there', () =>
  send({...target, private_key: webpush.generateVAPIDKeys().privateKey}, 'refused payload_refused'));

await check('an expired subscription is gone', async () => {
  await post(`${service.base}/expire-subscription/${subscription.hash}`, {});
  await send(target, 'bad_address subscription_gone');
});
service.close();

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
const double = await doubles(certificate(room));
const browser = crypto.createECDH('prime256v1');
browser.generateKeys();
const auth = crypto.randomBytes(16).toString('base64url');
await double.ask('expect', {web: {public_key: vapid.publicKey,
  browser: {d: browser.getPrivateKey('base64url'), p256dh: browser.getPublicKey('base64url'), auth}}});
const agent = new https.Agent({ca: fs.readFileSync(`${room}/cert.pem`)});
const others = (play, keys = vapid) => webpush.sendNotification(
  {endpoint: `https://127.0.0.1:${double.ports.web}/p/others/${play}`, keys: {p256dh: browser.getPublicKey('base64url'), auth}}, 'from others',
  {vapidDetails: {subject: 'mailto:ops@loja.example', ...keys}, TTL: 60, contentEncoding: 'aes128gcm', agent});

await check("our double takes what others' client sends, and opens it", async () => {
  assert.equal((await others('201')).statusCode, 201);
  const seen = await double.ask('seen');
  assert.equal(seen.bodies['web others'].body, 'from others');
});
await check('our double refuses a token by another key', () =>
  assert.rejects(others('201', webpush.generateVAPIDKeys()), {statusCode: 403}));
await check("our double plays the status it is asked for", () => assert.rejects(others('410'), {statusCode: 410}));

double.close();
fs.rmSync(room, {recursive: true});
