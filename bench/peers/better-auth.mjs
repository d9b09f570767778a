// better-auth: its own sessions (no OAuth grants) on SQLite, rate limit off, the bearer plugin for tokens in a header.
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { bearer } from 'better-auth/plugins';
import { authenticatedGet } from './operations.mjs';

const port = Number(process.env.PORT);
const url = `http://127.0.0.1:${port}`;
const database = new DatabaseSync(join(mkdtempSync(join(tmpdir(), 'gatehouse-bench-')), 'peer.db'));
database.exec('pragma journal_mode = wal; pragma synchronous = full;');
const options = {
  baseURL: url,
  secret: 'a secret for a benchmark, of some length',
  database,
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  trustedOrigins: [url],
  plugins: [bearer()],
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);
const handle = toNodeHandler(auth);

const json = (path, body, includes) => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', accept: 'application/json', origin: url },
  body: JSON.stringify(body),
  expect: { status: 200, includes },
});

async function operations() {
  const email = 'ada@example.com';
  const password = 'correct horse battery';
  const { token } = await auth.api.signUpEmail({ body: { name: 'Ada', email, password } });
  return {
    password: json('/api/auth/sign-in/email', { email, password }, 'token'),
    register: json('/api/auth/sign-up/email', { name: 'Ada', email: 'ada#@example.com', password }, 'token'),
    get: authenticatedGet('/api/auth/get-session', token, email),
  };
}

createServer((request, response) => {
  if (request.url === '/ready') return response.end('{}');
  if (request.url === '/bench/operations') {
    return operations().then(
      (list) => response.end(JSON.stringify(list)),
      (error) => response.writeHead(500).end(String(error)),
    );
  }
  return handle(request, response);
}).listen(port, '127.0.0.1');
