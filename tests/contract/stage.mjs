// What the checks stand on: a private PostgreSQL, a mail server that can say no, and the service, all real processes
// on this machine's loopback; all end with this program.
import {execFileSync, spawn} from 'node:child_process';
import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const binary = process.env.ARAUTO_BINARY ?? path.join(here, '../../build/arauto');

// The words of a child's line that begins with `ready`.
function started(words, environment) {
  const child = spawn(binary, words, {env: {PATH: process.env.PATH, ...environment}, stdio: ['ignore', 'pipe', 'pipe']});
  const log = [];
  child.stderr.on('data', text => log.push(text.toString()));
  const ready = new Promise((resolve, reject) => {
    readline.createInterface({input: child.stdout}).on('line', line => {
      if (line.startsWith('ready ')) resolve(line.slice(6).trim());
    });
    child.on('exit', code => reject(new Error(`${words[0]} ended (${code})\n${log.join('')}`)));
  });
  return ready.then(word => ({child, word}));
}

async function ended(child, signal = 'SIGTERM') {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise(resolve => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

// Takes every mail, but for the local parts `bounce` (refused, in Latin-1) and `doubt` (the line breaks after the dot).
function mailServer() {
  const server = net.createServer(socket => {
    let data = false, to = '', kept = '';
    const say = text => socket.write(Buffer.from(text + '\r\n', 'latin1'));
    const heard = line => {
      if (data) {
        if (line !== '.') return;
        data = false;
        if (to === 'doubt') socket.destroy(); else say('250 2.0.0 taken');
        return;
      }
      const word = line.slice(0, 4).toUpperCase();
      if (word === 'RCPT') {
        to = /<([^@]*)@/.exec(line)[1];
        say(to === 'bounce' ? '550 5.1.1 usu\u00e1rio inexistente' : '250 2.1.5 yes');
      } else if (word === 'DATA') { data = true; say('354 go on'); }
      else if (word === 'QUIT') { say('221 bye'); socket.end(); }
      else say('250 yes');
    };
    socket.on('error', () => {});
    socket.on('data', bytes => {
      kept += bytes.toString('latin1');
      for (let end; (end = kept.indexOf('\r\n')) >= 0; kept = kept.slice(end + 2)) heard(kept.slice(0, end));
    });
    say('220 peer');
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

export class Stage {
  static async open() {
    const s = new Stage();
    s.home = mkdtempSync(path.join(tmpdir(), 'arauto-contract-'));
    chmodSync(s.home, 0o711); // the account of PostgreSQL must pass through
    try {
      s.mail = await mailServer();
      ({child: s.postgres, word: s.admin} = await started(['postgres', '--data', s.home]));
      s.database = s.admin.replace(/\/postgres$/, '/contract');
      s.sql('create database contract', s.admin);
      s.environment = {ARAUTO_DATABASE_URL: s.database};
      s.arauto('migrate');
      await s.serve();
    } catch (why) {
      await s.close();
      throw why;
    }
    return s;
  }
  // The service; one that ran before ends first.
  async serve() {
    await ended(this.service);
    ({child: this.service, word: this.url} = await started(
      ['serve', '--listen', '127.0.0.1:0', '--mail-transport', 'smtp', '--smtp-host', '127.0.0.1', '--smtp-port',
        String(this.mail.address().port), '--smtp-tls', 'off'], this.environment));
  }
  async serveWithSealingKey() {
    const file = path.join(this.home, 'seals');
    writeFileSync(file, this.arauto('secrets', 'new', 'first'), {mode: 0o600});
    this.environment.ARAUTO_SECRETS_KEY_FILE = file;
    await this.serve();
  }
  arauto(...words) {
    return execFileSync(binary, words, {env: {PATH: process.env.PATH, ...this.environment}, encoding: 'utf8'});
  }
  tenant(name) {
    this.arauto('tenant', 'create', name, '--name', name);
    return this.key(name);
  }
  key(...of) {
    return /ar_(live|op)_[0-9A-Za-z_-]+/.exec(this.arauto('key', 'create', ...of))[0];
  }
  sql(text, url = this.database) {
    return execFileSync('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', url, '-c', text], {encoding: 'utf8'}).trim();
  }
  loseDatabase() { return ended(this.postgres); }
  async close() {
    await ended(this.service);
    await ended(this.postgres);
    this.mail?.close();
    rmSync(this.home, {recursive: true, force: true});
  }
}

// One answer to plain bytes: what no client library would send.
export function raw(url, bytes) {
  const {hostname, port} = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    let text = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('data', part => {
      text += part.toString('utf8');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first, ...lines] = text.slice(0, end).split('\r\n');
      const headers = new Headers(lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
      const body = text.slice(end + 4);
      if (Buffer.byteLength(body) < Number(headers.get('content-length') ?? 0)) return;
      socket.destroy();
      resolve({status: Number(first.split(' ')[1]), headers, text: body});
    });
  });
}

// Asks until the answer pleases; an end after 20 s.
export async function until(what, ask, pleases) {
  const end = Date.now() + 20_000;
  for (;;) {
    const got = await ask();
    if (pleases(got)) return got;
    if (Date.now() > end) throw new Error(`${what} never came: ${JSON.stringify(got)}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
