import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { BenchRequest } from '../measure/request.ts';

const { LIMIT_SCRATCH, LIMIT_ANSWER } = process.env as Record<string, string>;
/** The headers of a request to the compared Gatehouse, and of its response. */
export const exchange = JSON.parse(readFileSync(LIMIT_ANSWER as string, 'utf8')) as {
  request: Record<string, string>;
  headers: [string, string][];
};
const otherHeaders = exchange.headers.filter(([name]) => name !== 'content-length').flat();

export const json = (response: ServerResponse, body: string): void => {
  response.writeHead(200, [...otherHeaders, 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
};

export function afterBody(request: IncomingMessage, done: () => void): void {
  request.on('data', () => undefined);
  request.on('end', done);
}

/** A file with sessions. Each statement is a durable commit, unless it is part of a transaction. */
export function openSessions() {
  const file = new DatabaseSync(LIMIT_SCRATCH as string);
  file.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table sessions (id text primary key, client text, scopes text, generation integer, created_at integer, expires_at integer)`);
  const insert = file.prepare('insert into sessions values (?, ?, ?, 0, ?, ?)');
  const rotate = file.prepare('update sessions set generation = generation + 1 where id = ?');
  return {
    file,
    insert(): string {
      const id = randomUUID();
      insert.run(id, 'client', '["*"]', Date.now(), Date.now() + 1e9);
      return id;
    },
    rotate: (id: string) => void rotate.run(id),
  };
}

export const generateKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

const header = Buffer.from('{"alg":"ES256","typ":"at+jwt"}').toString('base64url');
export function signedToken(key: KeyObject, session: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: 'http://127.0.0.1',
    sub: 'client',
    client_id: 'client',
    exp: now + 3600,
    iat: now,
    jti: session,
    scope: '*',
    sid: session,
  };
  const text = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

export const tokenResponse = (access_token: string, session: string): string =>
  JSON.stringify({ token_type: 'Bearer', expires_in: 3600, access_token, refresh_token: session });

export const post = (path: string, includes: string): BenchRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=client_credentials&client_id=00000000-0000-7000-8000-000000000000&client_secret=0123456789012345678901234567890123456789012',
  expect: { status: 200, includes },
});
