// FCM, APNs and a push service as their public documents describe them: doubles for tests, NOT the
// services. Written from firebase.google.com's HTTP v1 reference, Apple's "Sending notification
// requests to APNs" and RFC 8030, 8188, 8291 and 8292; where a document is silent, so are they.
//
//   node push_peers.mjs CERTIFICATE.pem KEY.pem      (certificate of localhost and 127.0.0.1)
//
// Says "ready {json}" with the ports, then one JSON line for each request it judged. Ends with its
// standard input. A plain HTTP port answers GET /seen (counts), POST /expect (keys to verify with,
// faults to play) and POST /forget.
//
// FCM and APNs play what a device token begins with, the push service what its path begins with:
//   fcm   gone bad badfields wrongproject sender thirdparty quota down internal drop slow silent
//   apns  bad gone topic many down reset goaway drop silent
//   web   /p/NAME/STATUS (and ?after=S for Retry-After), /p/NAME/drop, /p/NAME/silent
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';

const [cert, key] = process.argv.slice(2, 4).map(file => fs.readFileSync(file));
let expect = {};
let seen = {};
forget();

function forget() {
  expect = {fcm: {}, apns: {}, web: {}};
  seen = {counts: {}, bearers: [], token_questions: 0, sessions: 0, bodies: {}};
}

function note(line) {
  const name = `${line.via} ${line.to}`;
  seen.counts[name] = (seen.counts[name] ?? 0) + 1;
  if (line.bearer && !seen.bearers.includes(line.bearer)) seen.bearers.push(line.bearer);
  if (line.body !== undefined) seen.bodies[name] = {headers: line.headers, body: line.body};
  console.log(JSON.stringify({via: line.via, to: line.to, status: line.status, count: seen.counts[name]}));
}

// -- tokens -------------------------------------------------------------------------------------

function unpacked(token) {
  const [head, claims, signature] = token.split('.');
  const json = text => JSON.parse(Buffer.from(text, 'base64url'));
  return {header: json(head), claims: json(claims), signed: `${head}.${claims}`,
          signature: Buffer.from(signature, 'base64url')};
}

function verified(token, publicKey, algorithm) {
  const read = unpacked(token);
  if (read.header.alg !== algorithm) throw new Error(`alg ${read.header.alg}`);
  const by = algorithm === 'ES256' ? {key: publicKey, dsaEncoding: 'ieee-p1363'} : publicKey;
  if (!crypto.verify('sha256', Buffer.from(read.signed), by, read.signature)) throw new Error('signature');
  return read;
}

const now = () => Math.floor(Date.now() / 1000);

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function answer(response, status, body, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {'content-type': 'application/json', ...headers});
  response.end(text);
}

// -- FCM ----------------------------------------------------------------------------------------

const scope = 'https://www.googleapis.com/auth/firebase.messaging';

function grant(form, tokenUri) {
  if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') throw new Error('grant_type');
  const {header, claims} = verified(form.get('assertion'), expect.fcm.public_key, 'RS256');
  if (claims.aud !== tokenUri) throw new Error(`aud ${claims.aud}`);
  if (claims.scope !== scope) throw new Error('scope');
  if (!header.kid || !claims.iss) throw new Error('kid or iss');
  if (claims.iat > now() + 300 || claims.exp < now() - 300 || claims.exp - claims.iat > 3600)
    throw new Error('not in a reasonable timeframe');
  return claims.iss;
}

function fcmError(code, status, errorCode, message, violations) {
  const details = [];
  if (errorCode) details.push({'@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode});
  if (violations) details.push({'@type': 'type.googleapis.com/google.rpc.BadRequest',
                                fieldViolations: violations.map(field => ({field, description: 'no'}))});
  return [code, {error: {code, status, message, details}}];
}

const fcmFaults = [ // the longer beginning first
  ['badfields', () => fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Invalid value', ['message.data[0].value'])],
  ['bad', () => fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token')],
  ['gone', () => fcmError(404, 'NOT_FOUND', 'UNREGISTERED', 'Requested entity was not found.')],
  ['wrongproject', () => fcmError(404, 'NOT_FOUND', '', 'Requested entity was not found.')],
  ['sender', () => fcmError(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH', 'SenderId mismatch')],
  ['denied', () => fcmError(403, 'PERMISSION_DENIED', '', 'Permission denied')],
  ['thirdparty', () => fcmError(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR', 'Auth error from APNS or Web Push Service')],
  ['quota', () => fcmError(429, 'RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', 'Quota exceeded')],
  ['down', () => fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE', 'The service is currently unavailable.')],
  ['internal', () => fcmError(500, 'INTERNAL', 'INTERNAL', 'Internal error')],
  ['redirect', () => [307, {}]],
];

function sizeOf(message) {
  const {token, ...rest} = message;
  return Buffer.byteLength(JSON.stringify(rest));
}

function fcmJudges(message) {
  for (const [name, value] of Object.entries(message.data ?? {})) {
    if (typeof value !== 'string') return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Invalid value', [`message.data[${name}]`]);
    if (name === 'from' || name === 'message_type' || /^(google|gcm\.notification)\./.test(name))
      return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Invalid data payload key', ['message.data']);
  }
  if (sizeOf(message) > 4096) return fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'Message is too big', ['message']);
  return fcmFaults.find(([name]) => message.token.startsWith(name))?.[1]();
}

let granted = 0;
const known = new Map(); // bearer -> ends, ms

const fcm = http.createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (request.url === '/token') return tokenQuestion(body, response);
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const {message, validate_only} = JSON.parse(body);
  const reply = (status, what, headers) => {
    note({via: 'fcm', to: message.token, status, bearer, body: message, headers: request.headers});
    answer(response, status, what, headers);
  };
  if (message.token.startsWith('drop') || message.token.startsWith('silent')) {
    note({via: 'fcm', to: message.token, status: 0, bearer});
    if (message.token.startsWith('drop')) request.socket.destroy();
    return;
  }
  if (message.token.startsWith('slow')) {
    note({via: 'fcm', to: `${message.token} heard`, status: 0});
    await new Promise(done => setTimeout(done, 500));
  }
  if (!bearer || !(known.get(bearer) > Date.now()))
    return reply(...fcmError(401, 'UNAUTHENTICATED', '', 'Request had invalid authentication credentials.'));
  if (!/^\/v1\/projects\/[^/]+\/messages:send$/.test(request.url)) return reply(404, 'Not Found');
  if (validate_only)
    return reply(...fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT', 'The registration token is not a valid FCM registration token'));
  const fault = fcmJudges(message);
  const wish = expect.fcm.retry_after ? {'retry-after': String(expect.fcm.retry_after)} : {};
  if (fault) return reply(fault[0], fault[1], fault[0] === 307 ? {location: `http://127.0.0.1:${fcm.address().port}/x`} : fault[0] >= 429 ? wish : {});
  const done = () => reply(200, {name: `projects/double/messages/${crypto.randomUUID()}`});
  done();
});

function tokenQuestion(body, response) {
  seen.token_questions += 1;
  if (expect.fcm.token_status) return answer(response, expect.fcm.token_status, {error: 'invalid_grant', error_description: 'as scripted'});
  try {
    grant(new URLSearchParams(body.toString()), `http://127.0.0.1:${fcm.address().port}/token`);
  } catch (why) {
    return answer(response, 400, {error: 'invalid_grant', error_description: why.message});
  }
  const life = expect.fcm.expires_in ?? 3599;
  const token = `ya29.double-${++granted}`;
  known.set(token, Date.now() + life * 1000);
  answer(response, 200, {access_token: token, expires_in: life, token_type: 'Bearer'});
}

// -- APNs ---------------------------------------------------------------------------------------

const apnsFaults = {bad: [400, 'BadDeviceToken'], gone: [410, 'Unregistered'], topic: [400, 'DeviceTokenNotForTopic'],
                    many: [429, 'TooManyRequests'], down: [503, 'ServiceUnavailable'], shutdown: [503, 'Shutdown']};

function apnsKnows(headers) {
  if (expect.apns.no_key) return; // tests of the transport alone
  const token = /^bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (!token) return [403, 'MissingProviderToken'];
  try {
    const {header, claims} = verified(token, expect.apns.public_key, 'ES256');
    if (header.kid !== expect.apns.key_id || claims.iss !== expect.apns.team_id) return [403, 'InvalidProviderToken'];
    if (claims.iat > now() + 60) return [403, 'InvalidProviderToken'];
    if (now() - claims.iat > 3600 || (expect.apns.expired_once && token !== expect.apns.after)) {
      if (!expect.apns.expired_once) return [403, 'ExpiredProviderToken'];
      if (!expect.apns.stale || expect.apns.stale === token) {
        expect.apns.stale = token;
        return [403, 'ExpiredProviderToken'];
      }
      expect.apns.after = token;
    }
  } catch {
    return [403, 'InvalidProviderToken'];
  }
  if (expect.apns.updates_left > 0) {
    expect.apns.updates_left -= 1;
    return [429, 'TooManyProviderTokenUpdates'];
  }
}

function apnsJudges(headers, body) {
  if (!headers['apns-topic']) return [400, 'MissingTopic'];
  if (!headers['apns-push-type']) return [400, 'InvalidPushType'];
  if (Buffer.byteLength(headers['apns-collapse-id'] ?? '') > 64) return [400, 'BadCollapseId'];
  if (headers['apns-expiration'] && !/^\d+$/.test(headers['apns-expiration'])) return [400, 'BadExpirationDate'];
  if (headers['apns-id'] && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(headers['apns-id'])) return [400, 'BadMessageId'];
  if (body.length > 4096) return [413, 'PayloadTooLarge'];
  if (body.length === 0) return [400, 'PayloadEmpty'];
}

const apns = http2.createSecureServer({cert, key});
apns.on('session', () => { seen.sessions += 1; });
apns.on('sessionError', () => {});
apns.on('stream', async (stream, headers) => {
  stream.on('error', () => {});
  const body = await bodyOf(stream).catch(() => Buffer.alloc(0));
  const token = /^\/3\/device\/(.+)$/.exec(headers[':path'])?.[1];
  const bearer = headers.authorization;
  const id = headers['apns-id'] ?? crypto.randomUUID();
  const reply = (status, reason, more = {}) => {
    note({via: 'apns', to: token, status, bearer, body: body.toString(), headers});
    stream.respond({':status': status, 'apns-id': id});
    stream.end(reason ? JSON.stringify({reason, ...more}) : '');
  };
  if (headers[':method'] !== 'POST') return reply(405, 'MethodNotAllowed');
  if (!token) return reply(404, 'BadPath');
  const refusal = apnsKnows(headers) ?? apnsJudges(headers, body);
  if (refusal) return reply(...refusal);
  if (/^0+$/.test(token)) return reply(400, 'BadDeviceToken');
  const [, kind] = /^([a-z]+)/.exec(token) ?? [];
  if (apnsFaults[kind])
    return reply(...apnsFaults[kind], kind === 'gone' ? {timestamp: expect.apns.gone_at_ms ?? Date.now()} : {});
  if (['reset', 'goaway', 'drop', 'silent'].includes(kind)) {
    note({via: 'apns', to: token, status: 0, bearer});
    if (kind === 'reset') stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
    if (kind === 'goaway') stream.session.goaway(0, 0, Buffer.from('{"reason":"Shutdown"}')), stream.session.destroy();
    if (kind === 'drop') stream.session.socket ? stream.session.destroy() : 0;
    return;
  }
  reply(200);
});

// -- a push service -----------------------------------------------------------------------------

// RFC 8291: what a browser does with a message.
function opened(body) {
  const browser = expect.web.browser; // {d, p256dh, auth}, base64url
  const bytes = text => Buffer.from(text, 'base64url');
  const salt = body.subarray(0, 16);
  const theirs = body.subarray(21, 21 + body[20]);
  const sealed = body.subarray(21 + body[20]);
  const own = crypto.createECDH('prime256v1');
  own.setPrivateKey(bytes(browser.d));
  const derived = (from, secret, info, size) => Buffer.from(crypto.hkdfSync('sha256', secret, from, info, size));
  const secret = derived(bytes(browser.auth), own.computeSecret(theirs),
                         Buffer.concat([Buffer.from('WebPush: info\0'), bytes(browser.p256dh), theirs]), 32);
  return unsealed(sealed, derived(salt, secret, 'Content-Encoding: aes128gcm\0', 16),
                  derived(salt, secret, 'Content-Encoding: nonce\0', 12));
}

function unsealed(sealed, secret, nonce) {
  const cipher = crypto.createDecipheriv('aes-128-gcm', secret, nonce);
  cipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  const end = plain.lastIndexOf(2);
  if (end < 0 || plain.subarray(end + 1).some(byte => byte !== 0)) throw new Error('padding');
  return plain.subarray(0, end).toString();
}

function vapidObjection(headers, origin) {
  const [, token, point] = /^vapid t=([^,]+), ?k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (!token) return 'no vapid';
  const raw = Buffer.from(point, 'base64url');
  const jwk = {kty: 'EC', crv: 'P-256', x: raw.subarray(1, 33).toString('base64url'), y: raw.subarray(33).toString('base64url')};
  const {claims} = verified(token, crypto.createPublicKey({key: jwk, format: 'jwk'}), 'ES256');
  if (claims.aud !== origin) return `aud ${claims.aud}`;
  if (claims.exp <= now() || claims.exp > now() + 86400) return 'exp';
  if (!/^(mailto:|https:)/.test(claims.sub)) return 'sub';
  if (expect.web.public_key && expect.web.public_key !== point) return 'another key';
}

function webObjection(headers, body) {
  if (!/^\d+$/.test(headers.ttl ?? '')) return [400, 'no TTL'];
  if (headers.topic && !/^[\w-]{1,32}$/.test(headers.topic)) return [400, 'topic'];
  if (!['very-low', 'low', 'normal', 'high'].includes(headers.urgency ?? 'normal')) return [400, 'urgency'];
  if (headers['content-encoding'] !== 'aes128gcm') return [400, 'encoding'];
  if (body.length > 4096) return [413, 'too large'];
}

const web = https.createServer({cert, key}, async (request, response) => {
  const body = await bodyOf(request);
  const url = new URL(request.url, 'https://x');
  const [, , name, play] = url.pathname.split('/');
  const reply = (status, text, headers, plain) => {
    note({via: 'web', to: name, status, bearer: request.headers.authorization, body: plain ?? '', headers: request.headers});
    answer(response, status, text, headers);
  };
  let plain;
  try {
    const why = vapidObjection(request.headers, `https://127.0.0.1:${web.address().port}`);
    if (why) return reply(403, why);
    const objection = webObjection(request.headers, body);
    if (objection) return reply(...objection);
    plain = opened(body);
  } catch (why) {
    return reply(400, why.message);
  }
  if (play === 'drop' || play === 'silent') {
    note({via: 'web', to: name, status: 0});
    if (play === 'drop') request.socket.destroy();
    return;
  }
  const status = Number(play ?? 201);
  const headers = {};
  if (status < 300) headers.location = `https://127.0.0.1:${web.address().port}/m/${name}`;
  if (status >= 300 && status < 400) headers.location = `https://127.0.0.1:${web.address().port}/p/secret/201`;
  if (url.searchParams.get('after')) headers['retry-after'] = url.searchParams.get('after');
  reply(status, status < 300 ? '' : 'the inside of a private place', headers, plain);
});

// -- the test's door ----------------------------------------------------------------------------

const door = http.createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (request.url === '/expect') {
    const given = JSON.parse(body);
    for (const via of Object.keys(given)) Object.assign(expect[via], given[via]);
    if (given.fcm?.revoke) known.clear();
    delete expect.fcm.revoke;
  }
  if (request.url === '/forget') forget();
  answer(response, 200, seen);
});

const servers = {fcm, apns, web, door};
await Promise.all(Object.values(servers).map(
  server => new Promise(done => server.listen(0, '127.0.0.1', done))));
const ports = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server.address().port]));
console.log(`ready ${JSON.stringify(ports)}`);
process.stdin.on('end', () => process.exit(0)).resume();
