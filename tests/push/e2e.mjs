// One event through the whole product: a user with a mail address, an Android phone, an iPhone and a browser. The real
// service on a real PostgreSQL; each peer checks who we are with Node's crypto or by others' code, and opens what it got.
// FCM and Web Push are sent through the house's accounts, APNs through the tenant's own, sealed in the database.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import {Stage, until} from '../contract/stage.mjs';
import {atEnd, check} from './checks.mjs';
import {certificate, doubles, fcmOverTls, mailServer, pushService, tlsDoorTo} from './peers.mjs';

const here = path.dirname(new URL(import.meta.url).pathname);
const binary = process.env.ARAUTO_BINARY ?? path.join(here, '../../build/arauto');
const room = fs.mkdtempSync(path.join(os.tmpdir(), 'arauto-e2e-'));
atEnd(() => fs.rmSync(room, {recursive: true}));
const files = certificate(room);
const app = 'com.loja.app';
const iphone = crypto.randomBytes(32).toString('hex');
const android = `android-${crypto.randomUUID()}`;

function kept(name, text) {
  fs.writeFileSync(`${room}/${name}`, text, {mode: 0o600});
  return `${room}/${name}`;
}

const pem = key => key.export({type: 'pkcs8', format: 'pem'});

// -- the peers ----------------------------------------------------------------------------------

const fcm = await fcmOverTls(files);
const rsa = crypto.generateKeyPairSync('rsa', {modulusLength: 2048});
fcm.public_key = rsa.publicKey;
const serviceAccount = {
  type: 'service_account', project_id: fcm.project, client_email: 'push@loja.example', private_key_id: 'k1',
  private_key: pem(rsa.privateKey), token_uri: `${fcm.url}/token`};

const apple = await doubles(files);
const ec = crypto.generateKeyPairSync('ec', {namedCurve: 'P-256'});
const named = {key_id: 'KEY4567890', team_id: 'TEAM567890'};
const appleAccount = {...named, key: pem(ec.privateKey), url: `https://127.0.0.1:${apple.ports.apns}`};
await apple.ask('expect', {apns: {...named, public_key: ec.publicKey.export({type: 'spki', format: 'pem'})}});

const mail = await mailServer(room, files);
const browsers = await pushService();
const door = await tlsDoorTo(browsers, files);
for (const peer of [fcm, apple, mail, browsers, door]) atEnd(() => peer.close());

// -- the service --------------------------------------------------------------------------------

const stage = await Stage.open();
atEnd(() => stage.close());
const vapid = JSON.parse(stage.arauto('vapid'));
const subscription = await browsers.subscribe(vapid.public_key);

// As an operator would set it, but for the private addresses.
async function serve() {
  const settings = {
    listen: '127.0.0.1:0', smtp_host: 'localhost', smtp_port: mail.port, smtp_tls: 'required', smtp_ca_file: files.cert,
    smtp_user: mail.user, smtp_password: mail.password, mail_sender_address: 'pedidos@loja.example',
    fcm_service_account_file: kept('fcm.json', JSON.stringify(serviceAccount)), fcm_url: fcm.url,
    web_push_private_key_file: kept('vapid.json', JSON.stringify(vapid)), web_push_subject: 'mailto:ops@loja.example',
    push_ca_file: files.cert, push_private_endpoints: 'true',
    secrets_key_file: kept('seals', stage.arauto('secrets', 'new', 'first')),
  };
  for (const [name, value] of Object.entries(settings))
    stage.environment[`ARAUTO_${name.toUpperCase()}`] = String(value);
  await new Promise(gone => stage.service.once('exit', gone).kill());
  stage.service = spawn(binary, ['serve'], {env: {PATH: process.env.PATH, ...stage.environment}});
  const log = [];
  stage.service.stderr.on('data', text => log.push(text));
  const lines = readline.createInterface({input: stage.service.stdout});
  stage.url = await new Promise((done, fail) => {
    lines.on('line', line => line.startsWith('ready ') && done(line.slice('ready '.length).trim()));
    stage.service.on('exit', code => fail(new Error(`serve ended (${code})\n${log.join('')}`)));
  });
  return log;
}

const log = await serve();
const key = stage.tenant('loja');
const operator = stage.key('--operator');

async function ask(method, where, body, by = key) {
  const headers = {authorization: `Bearer ${by}`, 'content-type': 'application/json'};
  const answer = await fetch(stage.url + where, {method, headers, body: body && JSON.stringify(body)});
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${where}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

const words = {
  title: 'Pedido {{order}} a caminho 🎉', body: '{{name}}, chega às {{at}}.', image: 'https://img.loja.example/p.png',
  link: 'https://loja.example/o/{{order}}', data: '{"order": "{{order}}", "total": 19.90, "gift": true}',
};
const data = {order: 'A-1', total: '19.90', gift: 'true'};
const title = 'Pedido A-1 a caminho 🎉';
const body = 'João, chega às 14h.';
const {link, image} = {link: 'https://loja.example/o/A-1', image: words.image};

let event;
let told;
const delivery = channel => told.deliveries.find(one => one.channel === channel);
const device = id => delivery('push').devices.find(one => one.device_id === id);

// -- what must come of it -----------------------------------------------------------------------

await check('one event to a mail address, FCM, APNs and a browser is completed', async () => {
  await ask('PUT', `/v1/admin/tenants/loja/accounts/apns?app=${app}`, appleAccount, operator);
  await ask('PUT', '/v1/templates/order.shipped/push', {parts: words});
  await ask('PUT', '/v1/templates/order.shipped/email', {parts: {subject: words.title, text: words.body}});
  await ask('PUT', '/v1/users/joao', {email: 'joao@cliente.example'});
  await ask('PUT', '/v1/users/joao/devices/android', {provider: 'fcm', token: android});
  await ask('PUT', '/v1/users/joao/devices/iphone', {provider: 'apns', app, token: iphone});
  await ask('PUT', '/v1/users/joao/devices/browser', {
    provider: 'web_push',
    subscription: {endpoint: subscription.endpoint, keys: subscription.keys, expirationTime: null}});
  ({id: event} = await ask('POST', '/v1/notifications', {
    user_id: 'joao', type: 'order.shipped', client_operation_id: 'shipped-A-1', priority: 'urgent',
    variables: {order: 'A-1', name: 'João', at: '14h'}, expires_at: new Date(Date.now() + 3_600_000).toISOString()}));
  told = await until('completed', () => ask('GET', `/v1/notifications/${event}`), one => one.status === 'completed');
});

await check('its status shows each device: accepted, after one attempt, under the name its provider gave', () => {
  // An attempt of a push goes through one account: three here.
  assert.deepEqual(told.deliveries.map(one => [one.channel, one.state, one.attempts, one.doubtful]).sort(),
                   [['email', 'provider_accepted', 1, false], ['push', 'provider_accepted', 3, false]]);
  const devices = delivery('push').devices.map(one => [one.device_id, one.provider, one.app ?? '', one.state, one.attempts]);
  assert.deepEqual(devices.sort(), [
    ['android', 'fcm', '', 'provider_accepted', 1], ['browser', 'web_push', '', 'provider_accepted', 1],
    ['iphone', 'apns', app, 'provider_accepted', 1]]);
  assert.match(device('android').provider_ref, /^projects\/loja\/messages\//);
  assert.equal(device('browser').provider_ref, `${door.url}/m/1`);
});

await check('a mail server by others took one mail over TLS: its subject and its text', () => {
  const mails = mail.read();
  assert.equal(mails.length, 1);
  const [{subject, plain, to_address, from_address, defects}] = mails;
  assert.deepEqual({subject, plain: plain.trim(), to_address, from_address, defects}, {
    subject: title, plain: body, to_address: 'joao@cliente.example', from_address: 'pedidos@loja.example', defects: ''});
});

await check('FCM gave its token to our signature and took one message: words, data as strings, an identity', () => {
  assert.deepEqual([...fcm.granted.values()], [serviceAccount.client_email]);
  const sent = fcm.heard.filter(one => one.path !== '/token');
  assert.deepEqual(sent.map(one => one.version), ['2.0']);
  const {message} = JSON.parse(sent[0].body);
  assert.equal(message.token, android);
  assert.deepEqual(message.notification, {title, body, image});
  assert.deepEqual(message.data, {...data, link, arauto_event_id: event});
  assert.equal(message.android.priority, 'HIGH');
  assert.match(message.android.ttl, /^3[56]\d\ds$/);
  assert.match(message.android.notification.tag, /^[\w-]{32}$/);
});

await check('APNs knew our key and took one message over HTTP/2: topic, identities, payload', async () => {
  const seen = await apple.ask('seen');
  assert.deepEqual(seen.counts, {[`apns ${iphone}`]: 1});
  const {headers, body: payload} = seen.bodies[`apns ${iphone}`];
  assert.equal(headers['apns-topic'], app);
  assert.equal(headers['apns-push-type'], 'alert');
  assert.equal(headers['apns-id'], device('iphone').provider_ref);
  assert.match(headers['apns-collapse-id'], /^[\w-]{32}$/);
  const left = Number(headers['apns-expiration']) - Date.now() / 1000;
  assert.ok(left > 3_500 && left <= 3_600, `${left} s left`);
  const {aps, ...rest} = JSON.parse(payload);
  assert.deepEqual(aps, {alert: {title, body}, sound: 'default', 'mutable-content': 1});
  assert.deepEqual(rest, {...data, link, image, arauto_event_id: event});
});

await check('a push service by others knew our key, and opened one message to what we sealed', async () => {
  const messages = await browsers.opened(subscription.hash);
  assert.deepEqual(door.heard.map(one => `${door.url}${one.path}`), [subscription.endpoint]);
  assert.equal(messages.length, 1);
  const {headers} = door.heard[0];
  assert.deepEqual(JSON.parse(messages[0]), {
    title, body, image, link, tag: headers.topic, event_id: event, data: {...data, arauto_event_id: event}});
  assert.match(headers.topic, /^[\w-]{32}$/);
  assert.equal(headers.urgency, 'high');
  assert.ok(headers.ttl > 3_500 && headers.ttl <= 3_600, headers.ttl);
  assert.equal(headers['content-encoding'], 'aes128gcm');
});

await check("no credential lies open in the database, and none of them, no token and no word stands in the log", () => {
  const row = stage.sql("select string_agg(a::text, ' ') from arauto.account a");
  const [, inside] = appleAccount.key.split('\n');
  assert.ok(row.includes(appleAccount.key_id) && !row.includes(inside), 'the account lies open');
  const secrets = [inside, vapid.private_key, mail.password, android, iphone, subscription.endpoint, 'João'];
  assert.deepEqual(secrets.filter(one => log.join('').includes(one)), []);
  assert.ok(log.join('').includes(event));
});
