'use strict';
// Lets the bench of the peers measure arauto beside them: ADAPTERS=…/tests/load/adapter.js ./run_peers.sh
// ARAUTO_BINARY names another build.
//
// Only `accept` is comparable: there is no push yet. Each request writes one event and two deliveries in one durable
// commit, as with the peers, but the push row is born settled (permanent_failure, no_device), so whatever waits for two
// accepted deliveries an event would wait for ever. The other measures end at once and say so.
//
// One process is both API and worker, while the peers' workers rest during `accept`. Hence two variants:
//   arauto       as it ships: the mails are sent meanwhile, on the same cores
//   arauto-held  the mail server never greets and one delivery may be in flight, so the others stay pending, like theirs
const path = require('node:path');
const { execFileSync } = require('node:child_process');

const BINARY = path.resolve(process.env.ARAUTO_BINARY || path.join(__dirname, '../../build/arauto'));
// The harness hands its environment on, and arauto refuses settings it does not know (and would obey stray ones).
for (const name of Object.keys(process.env)) if (name.startsWith('ARAUTO_')) delete process.env[name];
const USERS = 1000; // the load generators speak of u0 to u999
const NO_PUSH = 'arauto has no push yet, only accept is comparable';

module.exports = ({ V, C }) => {
  const pg = C.pgOpts();
  const settings = { ARAUTO_DATABASE_URL: `postgresql://${pg.user}@${pg.host}:${pg.port}/${pg.database}`, ARAUTO_LOG_LEVEL: 'error' };
  const arauto = (...words) => execFileSync(BINARY, words, { env: { PATH: process.env.PATH, ...settings }, encoding: 'utf8' });

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
      INSERT INTO arauto.template (tenant_id, type, channel, version, parts, required) VALUES
        ('load', 'order_shipped', 'email', 1, '[{"name":"subject","text":"Order {{order}}"},
          {"name":"text","text":"Hello {{name}}, your order {{order}} was shipped.\\nReference {{op}}\\n"}]', '{order,name,op}'),
        ('load', 'order_shipped', 'push', 1, '[{"name":"title","text":"Order {{order}}"},
          {"name":"body","text":"Hello {{name}}, your order {{order}} was shipped. {{op}}"}]', '{order,name,op}')`);
    await pool.end();
  }

  const variant = (id, mailPort, ...options) => V(id, null, settings, {
    roles: [],
    // A shell, because the sinks' ports come only in the environment; exec, so that CPU and signals find arauto itself.
    cmd: () => ['sh', ['-c', `exec "$0" "$@" --smtp-port "$${mailPort}"`, BINARY, 'serve', '--listen', `127.0.0.1:${C.ports.api}`,
      '--mail-transport', 'smtp', '--smtp-host', '127.0.0.1', '--smtp-tls', 'off', ...options]],
    readyRe: /^ready /m,
    setup,
    preload: async () => { throw new Error(NO_PUSH); },
    acceptedSql: `DO $$ BEGIN RAISE '${NO_PUSH}'; END $$`, // asked by every measure but accept
  });

  return [
    variant('arauto', 'SMTP_PORT'),
    // An HTTP server waits for the client to speak first, as an SMTP client does: nobody ever speaks.
    variant('arauto-held', 'PUSH_PORT', '--node-window-max', '1', '--smtp-command-timeout', '60s'),
  ];
};
