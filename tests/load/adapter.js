'use strict';
// Lets the bench of the peers measure arauto beside them: ADAPTERS=…/tests/load/adapter.js ./run_peers.sh
// ARAUTO_BINARY names another build.
//
// The same work as theirs: a durable event with two deliveries, a mail over SMTP and a push over HTTP/1.1 for each, one
// recorded result per delivery. The push goes the way of FCM (a service account, a bearer, HTTP v1); its provider is the
// bench's sink, and the token endpoint is a few lines below, because the sink has none.
//
// One process is both API and worker, while the peers' workers rest during `accept`. Hence two variants:
//   arauto       as it ships: mails and pushes leave meanwhile, on the same cores
//   arauto-held  no provider answers and one delivery of a channel may be in flight, so the others stay pending, like
//                theirs; for `accept` only
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { generateKeyPairSync } = require('node:crypto');
const { execFileSync } = require('node:child_process');

const BINARY = path.resolve(process.env.ARAUTO_BINARY || path.join(__dirname, '../../build/arauto'));
// The harness hands its environment on, and arauto refuses settings it does not know (and would obey stray ones).
for (const name of Object.keys(process.env)) if (name.startsWith('ARAUTO_')) delete process.env[name];
const USERS = 1000; // the load generators speak of u0 to u999

// Gives a bearer to whoever asks; what is measured is what comes after. Written from the OAuth documents, not Google's.
function tokenEndpoint(port) {
  http.createServer((asked, answer) => {
    asked.resume().on('end', () => {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ access_token: 'bearer', expires_in: 3600, token_type: 'Bearer' }));
    });
  }).listen(port, '127.0.0.1');
}

function serviceAccount(port) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const file = path.join(process.env.BENCH_TMP, 'service-account.json');
  fs.writeFileSync(file, JSON.stringify({
    type: 'service_account', project_id: 'bench', client_email: 'bench@bench.test', private_key_id: 'k1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }), token_uri: `http://127.0.0.1:${port}/token`,
  }), { mode: 0o600 });
  return file;
}

module.exports = ({ V, C }) => {
  const pg = C.pgOpts();
  const settings = { ARAUTO_DATABASE_URL: `postgresql://${pg.user}@${pg.host}:${pg.port}/${pg.database}`, ARAUTO_LOG_LEVEL: 'error' };
  const arauto = (...words) => execFileSync(BINARY, words, { env: { PATH: process.env.PATH, ...settings }, encoding: 'utf8' });
  const tokens = C.ports.api + 1;
  tokenEndpoint(tokens);
  const account = serviceAccount(tokens);

  async function setup() {
    const pool = C.makePool(1);
    // The peers' tables go too, as they do in every peer's own setup: each starts with the same empty database.
    await pool.query('DROP SCHEMA IF EXISTS arauto CASCADE; DROP TABLE IF EXISTS outbox, deliveries, events CASCADE');
    arauto('migrate');
    arauto('tenant', 'create', 'load', '--name', 'load');
    // arauto makes its keys itself. The environment carries this one to peers that are started later in the same run.
    process.env.BENCH_TOKEN = C.TOKEN = arauto('key', 'create', 'load').match(/ar_live_\w+/)[0];
    await pool.query(`
      INSERT INTO arauto.recipient (tenant_id, user_id, email, email_digest)
      SELECT 'load', 'u' || i, 'u' || i || '@bench.test', sha256(convert_to('u' || i || '@bench.test', 'UTF8'))
        FROM generate_series(0, ${USERS - 1}) i;
      INSERT INTO arauto.device (tenant_id, user_id, device_id, provider, app, token, registered_at)
      SELECT 'load', 'u' || i, 'phone', 'fcm', '', 'device-u' || i, now() FROM generate_series(0, ${USERS - 1}) i;
      INSERT INTO arauto.template (tenant_id, type, channel, version, parts, required) VALUES
        ('load', 'order_shipped', 'email', 1, '[{"name":"subject","text":"Order {{order}}"},
          {"name":"text","text":"Hello {{name}}, your order {{order}} was shipped.\\nReference {{op}}\\n"}]', '{order,name,op}'),
        ('load', 'order_shipped', 'push', 1, '[{"name":"title","text":"Order {{order}}"},
          {"name":"body","text":"Hello {{name}}, your order {{order}} was shipped. {{op}}"}]', '{order,name,op}')`);
    await pool.end();
  }

  // Events that were accepted while nobody delivered.
  async function preload(n) {
    const pool = C.makePool(1);
    await pool.query(`
      WITH e AS (
        INSERT INTO arauto.event (id, tenant_id, user_id, type, variables, priority, client_key, fingerprint, created_at)
        SELECT gen_random_uuid(), 'load', 'u' || (i % ${USERS}), 'order_shipped',
               json_build_object('name', 'Maria', 'order', 'A-' || i, 'op', 'OP-pre-' || i), 1, 'OP-pre-' || i,
               sha256(i::text::bytea), clock_timestamp()
          FROM generate_series(1, $1::int) i RETURNING id, user_id)
      INSERT INTO arauto.delivery (event_id, channel, tenant_id, user_id, priority, state, next_attempt_at, template_id)
      SELECT e.id, t.channel, 'load', e.user_id, 1, 'pending', clock_timestamp(), t.id
        FROM e CROSS JOIN arauto.template t`, [n]);
    await pool.end();
  }

  const variant = (id, options) => V(id, null, settings, {
    roles: [],
    // A shell, because the sinks' ports come only in the environment; exec, so that CPU and signals find arauto itself.
    cmd: () => ['sh', ['-c', `exec "$0" "$@" ${options}`, BINARY, 'serve', '--listen', `127.0.0.1:${C.ports.api}`,
      '--mail-transport', 'smtp', '--smtp-host', '127.0.0.1', '--smtp-tls', 'off', '--fcm-service-account-file', account]],
    readyRe: /^ready /m,
    setup,
    preload,
    acceptedSql: "SELECT count(*)::int AS n FROM arauto.delivery WHERE state = 'provider_accepted'",
    spanSql: `SELECT count(*)::int AS n, extract(epoch FROM min(settled_at))::float8 AS first,
                     extract(epoch FROM max(settled_at))::float8 AS last
                FROM arauto.delivery WHERE state = 'provider_accepted' AND settled_at >= to_timestamp($1::float8)`,
  });

  return [
    variant('arauto', '--smtp-port "$SMTP_PORT" --smtp-connections-max "${SMTP_CONNS:-20}"'
      + ' --fcm-url "http://127.0.0.1:$PUSH_PORT" --push-sends-max "${PUSH_CONNS:-50}"'),
    // An HTTP server waits for the client to speak first, as an SMTP client does: nobody ever speaks. Nobody listens for
    // pushes at all.
    variant('arauto-held', '--smtp-port "$PUSH_PORT" --node-window-max 1 --smtp-command-timeout 60s --fcm-url http://127.0.0.1:9'),
  ];
};
