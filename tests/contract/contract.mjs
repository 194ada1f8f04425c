// Asks a running service for every operation and status of its own document, and judges each real answer by it.
import {randomUUID} from 'node:crypto';
import {Document} from './document.mjs';
import {raw, Stage, until} from './stage.mjs';
import {tour} from './tour.mjs';

let passed = 0, failed = 0;
function check(what, objections) {
  if (objections.length === 0) return void ++passed;
  ++failed;
  console.log(`FAILED ${what}: ${objections.join('; ')}`);
}

const met = new Map(); // operation id -> statuses seen
const codes = new Set();
let document, stage, keys;

// path: values of its names; query, headers, body as they are; key: null for none.
async function ask(id, wanted, {path = {}, query = '', headers = {}, body, key, bad = false} = {}) {
  const operation = document.operations.get(id);
  if (key === undefined) key = operation.forOperators ? keys.operator : keys.shop;
  const place = operation.path.replace(/{(\w+)}/g, (_, name) => encodeURIComponent(path[name]));
  const sent = {method: operation.method, headers: {...headers}};
  if (key && operation.needsKey) sent.headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) {
    sent.headers['Content-Type'] ??= 'application/json';
    sent.body = typeof body === 'string' ? body : JSON.stringify(body);
    if (wanted < 300 && typeof body !== 'string' && operation.told.requestBody && !document.allows(operation, body))
      check(`${id}: the document refuses what the service takes`, [sent.body]);
    if (bad && typeof body !== 'string' && document.allows(operation, body))
      check(`${id}: the document allows what the service refuses`, [sent.body]);
  }
  const reply = await fetch(stage.url + place + query, sent);
  return judged(id, wanted, {status: reply.status, headers: reply.headers, text: await reply.text()});
}

function judged(id, wanted, reply) {
  const operation = document.operations.get(id);
  const objections = document.objections(operation, reply.status, reply.headers, reply.text);
  if (reply.status !== wanted) objections.push(`${reply.status} instead of ${wanted} ${reply.text}`);
  check(`${id} ${wanted}`, objections);
  met.set(id, (met.get(id) ?? new Set()).add(String(reply.status)));
  const body = reply.text && reply.headers.get('content-type')?.includes('json') ? JSON.parse(reply.text) : {};
  if (body.code && reply.status >= 400) codes.add(body.code);
  return body;
}

const order = (operation, more = {}) =>
  ({user_id: 'ana', type: 'order.shipped', client_operation_id: operation, variables: {order: '77'}, ...more});

// -- what only one call can answer -------------------------------------------------------------------------------------

async function users() {
  const ana = {path: {user_id: 'ana'}};
  await ask('put_user', 200, {...ana, body: {email: 'ana@example.com', name: 'Ana', locale: 'pt-BR', time_zone: 'America/Recife'}});
  await ask('put_user', 200, {path: {user_id: 'bounce'}, body: {email: 'bounce@example.com'}});
  await ask('put_user', 200, {path: {user_id: 'doubt'}, body: {email: 'doubt@example.com'}});
  await ask('put_user', 200, {path: {user_id: 'a/b é'}, body: {}});
  await ask('put_user', 422, {...ana, body: {email: 'no address'}});
  await ask('put_user', 400, {...ana, body: {email: 1, colour: 'red'}, bad: true});
  await ask('get_user', 200, ana);
  await ask('get_user', 404, {path: {user_id: 'nobody'}});
  await ask('delete_user', 204, {path: {user_id: 'a/b é'}});
  await ask('delete_user', 404, {path: {user_id: 'nobody'}});
  await ask('put_user_preferences', 200, {...ana, body: {channels: {email: true}, types: {news: {email: false}}}});
  await ask('put_user_preferences', 404, {path: {user_id: 'nobody'}, body: {}});
  await ask('put_user_preferences', 422, {...ana, body: {channels: {pigeon: true}}, bad: true});
  await ask('get_user_preferences', 200, ana);
  await ask('get_user_preferences', 404, {path: {user_id: 'nobody'}});
}

const subscription = {
  endpoint: 'https://push.example.org/p/1', expirationTime: null,
  keys: { // RFC 8291, appendix A
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};

async function devices() {
  const ana = {path: {user_id: 'ana'}};
  const of = device_id => ({path: {user_id: 'ana', device_id}});
  await ask('put_device', 201, {...of('phone'), body: {provider: 'fcm', app: 'shop', token: 'a:token'}});
  await ask('put_device', 200, {...of('phone'), body: {provider: 'fcm', app: 'shop', token: 'a:token'}});
  await ask('put_device', 201, {...of('tablet/1'), body: {provider: 'apns', app: 'com.example.shop', token: 'C0FFEE'}});
  await ask('put_device', 201, {...of('browser'), body: {provider: 'web_push', subscription}});
  await ask('put_device', 422, {...of('browser'), body: {provider: 'web_push', subscription: {...subscription, endpoint: 'https://10.0.0.1/p'}}});
  for (const body of [{}, {provider: 'smtp', token: 'x'}, {provider: 'fcm'}, {provider: 'fcm', token: 'a b'},
    {provider: 'apns', token: 'xyz'}, {provider: 'fcm', token: 't', subscription}, {provider: 'web_push', token: 't'}])
    await ask('put_device', 400, {...of('bad'), body, bad: true});
  await ask('put_device', 400, {...of('bad'), body: {provider: 'web_push', subscription: {...subscription, keys: {p256dh: 'AA', auth: 'AA'}}}});
  await ask('put_device', 404, {path: {user_id: 'nobody', device_id: 'd'}, body: {provider: 'fcm', token: 't'}});
  for (let i = 0; i < 47; ++i)
    await ask('put_device', 201, {...of(`d-${i}`), body: {provider: 'fcm', token: `t-${i}`}});
  await ask('put_device', 409, {...of('too-much'), body: {provider: 'fcm', token: 'more'}});
  const {data} = await ask('list_devices', 200, ana);
  check('tokens are never told', JSON.stringify(data).match(/token|c0ffee|push\.example|t-1/) ? ['one was'] : []);
  await ask('list_devices', 404, {path: {user_id: 'nobody'}});
  for (const {device_id} of data) await ask('delete_device', 204, of(device_id));
  await ask('delete_device', 204, of('phone'));
  await ask('delete_device', 404, of('none'));
}

async function templates() {
  const shipped = {path: {type: 'order.shipped', channel: 'email'}};
  await ask('put_template', 200, {...shipped, body: {parts: {subject: 'Order {{order}}', text: 'On its way.'}}});
  await ask('put_template', 200, {
    path: {type: 'held', channel: 'email'},
    body: {parts: {subject: 'x', text: 'x'}, private: true, in_doubt: {policy: 'hold'}},
  });
  await ask('put_template', 200, {...shipped, query: '?locale=pt-BR', body: {parts: {subject: 'Pedido {{order}}', text: 'Saiu.'}}});
  await ask('put_template', 422, {...shipped, body: {parts: {subject: '{{'}}});
  await ask('put_template', 404, {path: {type: 'order.shipped', channel: 'pigeon'}, body: {parts: {}}});
  await ask('get_template', 200, {...shipped, query: '?locale=pt-BR'});
  await ask('get_template', 404, {path: {type: 'none', channel: 'email'}});
  await ask('delete_template', 204, {...shipped, query: '?locale=pt-BR'});
  await ask('delete_template', 404, {path: {type: 'none', channel: 'email'}});
}

async function notifications() {
  const {id} = await ask('post_notification', 202, {body: order('o-1')});
  await ask('post_notification', 202, {body: order('o-1')});
  await ask('post_notification', 409, {body: order('o-1', {priority: 'urgent'})});
  await ask('post_notification', 202, {
    body: order('o-2', {channels: ['email'], priority: 'urgent', expires_at: '2099-01-01T00:00:00Z'}),
    headers: {'Idempotency-Key': 'o-2'},
  });
  await ask('post_notification', 400, {body: order('o-3'), headers: {'Idempotency-Key': 'other'}});
  await ask('post_notification', 400, {body: {colour: 'red'}, bad: true});
  await ask('post_notification', 400, {body: '{"user_id":"a","user_id":"b"}'});
  for (const [code, more] of [['unknown-user', {user_id: 'nobody'}], ['unknown-channel', {channels: ['pigeon']}],
    ['no-template', {type: 'none'}], ['missing-variable', {variables: {}}], ['invalid-time', {expires_at: '2000-01-01T00:00:00Z'}]])
    check(code, (await ask('post_notification', 422, {body: order('o-4', more)})).code === code ? [] : ['another code']);
  await ask('post_notification', 202, {body: order('o-4')}); // S11: a refusal burns no operation id
  await until('completed', () => ask('get_notification', 200, {path: {id}}), seen => seen.status === 'completed');
  await ask('list_notifications', 200, {query: '?client_operation_id=o-1'});
  await ask('list_notifications', 404, {query: '?client_operation_id=none'});
  await ask('list_notifications', 200, {query: '?limit=1&state=provider_accepted&channel=email&since=2020-01-01T00:00:00Z'});
  await ask('list_notifications', 400, {query: '?cursor=x'});
  await ask('post_batch', 200, {body: {notifications: [order('b-1'), order('o-1'), order('o-1', {priority: 'urgent'})]}});
  await ask('post_batch', 200, {body: '{"notifications":[{},7]}'});
  await ask('post_batch', 400, {body: {notifications: []}, bad: true});
  await ask('cancel_notification', 200, {path: {id}});
  await ask('cancel_notification', 200, {path: {id}, body: {}});
  await ask('get_usage', 200);
}

async function deadLettersAndDoubts() {
  const bounced = await ask('post_notification', 202, {body: order('d-1', {user_id: 'bounce'})});
  const dead = {path: {id: bounced.id, channel: 'email'}};
  const held = await ask('post_notification', 202, {body: order('d-2', {user_id: 'doubt', type: 'held', variables: {}})});
  const doubt = {path: {id: held.id, channel: 'email'}};
  await until('a dead letter', () => ask('list_dead_letters', 200), seen => seen.data.length > 0);
  await until('a doubt', () => ask('get_notification', 200, doubt), seen => seen.status === 'in_doubt');
  await ask('list_dead_letters', 200, {query: '?cause=none_such&type=order.shipped&channel=email&since=2020-01-01T00:00:00Z&limit=1'});
  await ask('list_dead_letters', 400, {query: '?limit=0'});
  await ask('replay_delivery', 409, doubt);
  await ask('resolve_delivery', 200, {...doubt, body: {as: 'accepted'}});
  await ask('resolve_delivery', 409, {...dead, body: {as: 'accepted'}});
  await ask('resolve_delivery', 400, {...dead, body: {as: 'perhaps'}, bad: true});
  await ask('replay_delivery', 409, doubt); // it is no dead letter
  await ask('replay_delivery', 200, {...dead, body: {even_if_doubtful: false}});
  await until('suppressed', () => ask('get_notification', 200, dead), seen => seen.status === 'suppressed'); // the address
  await ask('replay_dead_letters', 200, {body: {cause: 'bad_address', limit: 1, per_second: 1000}});
  await ask('replay_dead_letters', 400, {body: {limit: 0}, bad: true});
  await ask('cancel_notification', 200, {path: {id: bounced.id}});
  await ask('delete_user', 204, {path: {user_id: 'bounce'}});
}

async function operators() {
  const shop = {path: {tenant: 'shop'}}, nobody = {path: {tenant: 'nobody'}};
  await ask('post_tenant', 201, {body: {id: 'new', name: 'New', sender_address: 'hello@new.example', sender_name: 'New'}});
  await ask('post_tenant', 409, {body: {id: 'new'}});
  await ask('post_tenant', 422, {body: {id: 'newer', sender_address: 'no address'}});
  await ask('get_tenant', 200, shop);
  await ask('patch_tenant', 200, {...shop, body: {name: 'Shop'}});
  await ask('patch_tenant', 404, {...nobody, body: {name: 'Shop'}});
  await ask('patch_tenant', 422, {...shop, body: {sender_address: 'no address'}});
  await ask('list_tenants', 200);
  await ask('put_limits', 200, {...shop, body: {body_bytes_max: 200_000, variables_bytes_max: null}});
  await ask('put_limits', 404, {...nobody, body: {}});
  await ask('get_limits', 200, shop);
  const {data} = await ask('list_suppressions', 200, shop);
  check('the address that bounced is listed', data.length > 0 ? [] : ['it is not']);
  await ask('lift_suppression', 204, {...shop, body: {channel: 'email', address: 'bounce@example.com'}});
  await ask('lift_suppression', 404, {...shop, body: {channel: 'email', address: 'bounce@example.com'}});
  await ask('lift_suppression', 422, {...shop, body: {channel: 'email', address: 'no address'}});
  const made = await ask('post_key', 201, {body: {tenant: 'new', name: 'one', scopes: ['preferences'], expires_at: '2099-01-01T00:00:00Z'}});
  keys.narrow = made.key;
  const second = await ask('post_key', 201, {body: {tenant: 'new'}});
  await ask('post_key', 409, {body: {tenant: 'new'}}); // two live ones
  await ask('post_key', 404, {body: {tenant: 'nobody'}});
  await ask('post_key', 422, {body: {tenant: 'shop', expires_at: '2000-01-01T00:00:00Z'}});
  await ask('list_keys', 200, {query: '?tenant=new'});
  await ask('list_keys', 404, {query: '?tenant=nobody'});
  await ask('delete_key', 204, {path: {prefix: second.prefix}});
  await ask('list_nodes', 200);
  await ask('list_audit', 200, {query: '?limit=5'});
}

async function accounts() {
  const of = (provider, tenant = 'shop') => ({path: {tenant, provider}});
  const vapid = JSON.parse(stage.arauto('vapid', '--subject', 'mailto:ops@shop.example'));
  await ask('put_account', 409, {...of('web_push'), body: vapid});
  await stage.serveWithSealingKey();
  const mail = {host: 'mail.shop.example', user: 'shop', password: 'open sesame', sender_address: 'hello@shop.example'};
  await ask('put_account', 200, {...of('web_push'), body: vapid});
  await ask('put_account', 200, {...of('web_push'), query: '?app=news', body: vapid});
  await ask('put_account', 200, {...of('smtp'), body: mail});
  await ask('put_account', 400, {...of('smtp'), query: '?app=news', body: mail});
  await ask('put_account', 400, {...of('smtp'), body: {...mail, host: ''}});
  await ask('put_account', 400, {...of('apns'), body: {key: 'x', colour: 'red'}, bad: true});
  await ask('put_account', 404, {...of('pigeon'), body: {}});
  await ask('put_account', 404, {...of('smtp', 'nobody'), body: mail});
  const told = await ask('list_accounts', 200, {path: {tenant: 'shop'}});
  check('three accounts are told', told.data.length === 3 ? [] : [JSON.stringify(told)]);
  const text = JSON.stringify(told) + stage.arauto('account', 'list', 'shop');
  check('no secret is told', text.includes('sesame') || text.includes(vapid.private_key) ? ['one was'] : []);
  const row = stage.sql("select string_agg(a::text, ' ') from arauto.account a");
  check('no secret lies open', row.includes('sesame') || row.includes(vapid.private_key) ? ['one does'] : []);
  await ask('delete_account', 204, {...of('web_push'), query: '?app=news'});
  await ask('delete_account', 204, of('web_push'));
  await ask('delete_account', 204, of('smtp'));
  await ask('delete_account', 404, of('smtp'));
  await ask('delete_account', 400, {...of('smtp'), query: '?colour=red'});
}

async function service() {
  await ask('get_health', 200);
  await ask('get_readiness', 200);
  await ask('get_metrics', 200);
  await ask('get_openapi', 200);
  await ask('get_problem', 404, {path: {code: 'none'}});
  for (const kind of document.told.components.schemas.problem_code.oneOf) {
    const told = await ask('get_problem', 200, {path: {code: kind.const}});
    check(`the type of ${kind.const}`, told.status === kind['x-status'] && told.type === `/problems/${kind.const}` ? [] : ['differs']);
  }
}

// -- what every call can answer ----------------------------------------------------------------------------------------

const plausible = {id: randomUUID(), channel: 'email', user_id: 'ana', type: 'order.shipped', code: 'internal',
  tenant: 'nobody', prefix: 'nobody', device_id: 'none', provider: 'smtp'};
const bodies = {
  post_notification: order('x-1'), post_batch: {notifications: [order('x-1')]}, resolve_delivery: {as: 'accepted'},
  replay_dead_letters: {all: true}, put_user: {}, post_tenant: {id: 'later'}, patch_tenant: {}, put_limits: {},
  lift_suppression: {channel: 'email', address: 'x@example.com'}, post_key: {tenant: 'shop'}, put_user_preferences: {},
  put_template: {parts: {subject: 'Order {{order}}', text: 'x'}}, put_device: {provider: 'fcm', token: 'x'},
  put_account: {host: 'x', sender_address: 'x@example.com'},
};

function head(operation, more, key = operation.forOperators ? keys.operator : keys.shop) {
  const path = operation.path.replace(/{(\w+)}/g, (_, name) => plausible[name]);
  const authorization = operation.needsKey && key ? `Authorization: Bearer ${key}\r\n` : '';
  return `${operation.method} ${path} HTTP/1.1\r\nHost: x\r\n${authorization}${more}\r\n`;
}

async function everywhere() {
  for (const [id, operation] of document.operations) {
    const asked = {path: plausible, body: bodies[id]};
    const says = status => status in operation.told.responses;
    if (says(400)) judged(id, 400, await raw(stage.url, head(operation, 'no colon here\r\n')));
    if (says(401)) await ask(id, 401, {...asked, key: null});
    if (says(401)) await ask(id, 401, {...asked, key: keys.shop.slice(0, -1) + (keys.shop.endsWith('x') ? 'y' : 'x')});
    if (says(403) && !operation.forOperators && operation.told['x-scope'] !== 'preferences')
      await ask(id, 403, {...asked, key: keys.narrow}); // its scope is another
    if (says(403)) await ask(id, 403, {...asked, key: operation.forOperators ? keys.shop : keys.operator});
    if (says(403) && !operation.forOperators) await ask(id, 403, {...asked, key: keys.stopped});
    if (says(404) && /{(id|tenant|prefix)}/.test(operation.path)) await ask(id, 404, asked);
    if (says(413)) judged(id, 413, await raw(stage.url, head(operation, 'Content-Type: application/json\r\nContent-Length: 9000000\r\n')));
    if (says(415)) await ask(id, 415, {...asked, body: '{}', headers: {'Content-Type': 'text/plain'}});
    if (says(415)) judged(id, 415, await raw(stage.url, head(operation, 'Content-Encoding: gzip\r\nContent-Length: 2\r\n') + '{}'));
  }
}

// The default of every call; asked of one, because nothing of the call is looked at by then.
async function atTheDoor() {
  const any = document.operations.get('list_notifications');
  const refused = async (wanted, bytes) => judged('list_notifications', wanted, await raw(stage.url, bytes));
  const late = refused(408, 'GET /v1/notifications HTTP/1.1\r\nHost: x\r\n');
  await refused(414, `GET /v1/${'x'.repeat(3000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await refused(417, head(any, 'Expect: 200-ok\r\n'));
  await refused(431, head(any, Array.from({length: 70}, (_, n) => `X-${n}: x\r\n`).join('')));
  await refused(501, head(any, 'Transfer-Encoding: chunked\r\n'));
  await refused(505, 'GET /v1/notifications HTTP/2.0\r\nHost: x\r\n\r\n');
  stage.sql('alter table arauto.preference rename to elsewhere');
  await ask('get_user_preferences', 500, {path: {user_id: 'ana'}});
  stage.sql('alter table arauto.elsewhere rename to preference');
  await late;
}

async function methods() {
  const paths = Map.groupBy?.([...document.operations.values()], one => one.path)
    ?? [...document.operations.values()].reduce((all, one) => all.set(one.path, [...(all.get(one.path) ?? []), one]), new Map());
  for (const [path, operations] of paths) {
    const known = operations.flatMap(one => (one.method === 'GET' ? ['GET', 'HEAD'] : [one.method]));
    const place = path.replace(/{(\w+)}/g, (_, name) => plausible[name]);
    for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']) {
      if (known.includes(method)) continue;
      const reply = await fetch(stage.url + place, {method});
      const allow = (reply.headers.get('allow') ?? '').split(', ').filter(word => word !== 'OPTIONS');
      const text = await reply.text();
      // /v1/notifications/batch is one of /v1/notifications/{id} too.
      if (path === '/v1/notifications/batch' && method === 'GET') continue;
      const objections = document.objections(operations[0], 405, reply.headers, text);
      if (reply.status !== 405) objections.push(String(reply.status));
      if (!known.every(word => allow.includes(word))) objections.push(`Allow: ${allow}`);
      check(`${method} ${path} 405`, objections);
      codes.add(JSON.parse(text).code);
    }
    if (!known.includes('GET')) continue;
    const headers = {Authorization: `Bearer ${keys.shop}`};
    const [get, asHead] = [await fetch(stage.url + place, {headers}), await fetch(stage.url + place, {headers, method: 'HEAD'})];
    const same = get.status === asHead.status && get.headers.get('content-type') === asHead.headers.get('content-type');
    check(`HEAD ${path}`, same && (await asHead.text()) === '' ? [] : [`${get.status} ${asHead.status}`]);
  }
}

async function withoutDatabase() {
  await stage.loseDatabase();
  await until('not ready', () => fetch(`${stage.url}/readyz`), reply => reply.status === 503);
  // As long as the key is believed, a batch answers 200 and each of its items 503.
  const batch = () => fetch(`${stage.url}/v1/notifications/batch`, {
    method: 'POST',
    headers: {Authorization: `Bearer ${keys.shop}`, 'Content-Type': 'application/json'},
    body: JSON.stringify(bodies.post_batch),
  });
  await until('the key believed no more', batch, reply => reply.status === 503);
  for (const [id, operation] of document.operations)
    if ('503' in operation.told.responses) await ask(id, 503, {path: plausible, body: bodies[id]});
  await ask('get_health', 200);
}

function coverage() {
  for (const [id, operation] of document.operations)
    for (const status of Object.keys(operation.told.responses))
      if (status !== 'default') check(`${id} ${status} was asked for`, met.get(id)?.has(status) ? [] : ['never seen']);
  const unseen = document.told.components.schemas.problem_code.oneOf.map(kind => kind.const).filter(code => !codes.has(code));
  console.log(`${document.operations.size} operations; problems not met here: ${unseen.join(', ') || 'none'}`);
}

async function main() {
  stage = await Stage.open();
  try {
    const told = await (await fetch(`${stage.url}/openapi.json`)).json();
    check('the document is valid OpenAPI 3.1', await Document.faults(told));
    const broken = structuredClone(told);
    broken.paths['/v1/usage'].get.parameters = [{name: 'x', in: 'nowhere'}];
    check('the validator sees a broken one', (await Document.faults(broken)).length ? [] : ['it does not']);
    document = new Document(told);
    keys = {shop: stage.tenant('shop'), stopped: stage.tenant('stopped'), operator: stage.key('--operator')};
    stage.sql("update arauto.tenant set status = 'stopped' where id = 'stopped'");
    await tour(stage, told, stage.tenant('tour'), check);
    for (const part of [users, devices, templates, notifications, deadLettersAndDoubts, operators, accounts, service, everywhere, atTheDoor, methods,
      withoutDatabase])
      await part();
    coverage();
  } catch (why) {
    check('the run', [why.stack]);
  } finally {
    await stage.close();
  }
}

async function giveUp(why) {
  console.log(`FAILED: ${why}`);
  await stage?.close();
  console.log(`${passed} passed, ${failed + 1} failed`);
  process.exit(1);
}
const guard = setTimeout(() => giveUp('more than five minutes'), 300_000);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => giveUp(signal));
await main();
clearTimeout(guard);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
