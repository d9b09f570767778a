import { argon2, createPrivateKey, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { BenchRequest, Operations } from '../measure/request.ts';
import { carsOnPage, countOfCars, oneCar, ownersOfPage, searchedCars } from './queries.ts';

/**
 * The least work that an operation needs, on bare `node:http`: no routing, no validation, no authentication. It responds
 * with the same rows and headers as Gatehouse. `LIMIT_DATABASE` is the database of the compared Gatehouse (read only).
 * `LIMIT_ANSWER` is a file with the headers of one of its requests and responses.
 */
const { PORT, LIMIT_DATABASE, LIMIT_SCRATCH, LIMIT_ANSWER, LIMIT_CAR, LIMIT_PLATE } = process.env as Record<
  string,
  string
>;
const read = new DatabaseSync(LIMIT_DATABASE as string, { readOnly: true });
const scratch = new DatabaseSync(LIMIT_SCRATCH as string);
scratch.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table sessions (id text primary key, client text, scopes text, generation integer, created_at integer, expires_at integer)`);
const insert = scratch.prepare('insert into sessions values (?, ?, ?, 0, ?, ?)');
const rotate = scratch.prepare('update sessions set generation = generation + 1 where id = ?');
const byId = read.prepare(oneCar);
const page = read.prepare(carsOnPage);
const count = read.prepare(countOfCars);
const search = read.prepare(searchedCars);
const owners = read.prepare(ownersOfPage(100));
const exchange = JSON.parse(readFileSync(LIMIT_ANSWER as string, 'utf8')) as {
  request: Record<string, string>;
  headers: [string, string][];
};
const otherHeaders = exchange.headers.filter(([name]) => name !== 'content-length').flat();

const json = (response: ServerResponse, body: string): void => {
  response.writeHead(200, [...otherHeaders, 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
};

const key = createPrivateKey(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
);
const header = Buffer.from('{"alg":"ES256","typ":"at+jwt"}').toString('base64url');
function signedToken(session: string): string {
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
const tokens = (response: ServerResponse, session: string): void =>
  json(
    response,
    JSON.stringify({
      token_type: 'Bearer',
      expires_in: 3600,
      access_token: signedToken(session),
      refresh_token: session,
    }),
  );

function afterBody(request: IncomingMessage, done: () => void): void {
  request.on('data', () => undefined);
  request.on('end', done);
}

const hash = (done: () => void): void =>
  argon2(
    'argon2id',
    {
      message: 'correct horse battery',
      nonce: randomBytes(16),
      memory: 19_456,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    },
    (error) => {
      if (error) throw error;
      done();
    },
  );

const durableSession = (): string => {
  const id = randomUUID();
  insert.run(id, 'client', '["*"]', Date.now(), Date.now() + 1e9);
  return id;
};
const rotated = Array.from({ length: 64 }, durableSession);
let next = 0;
const anyCar = '/get/';

const handlers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>([
  ['/get', (_, response) => json(response, JSON.stringify({ data: byId.get(LIMIT_CAR as string) }))],
  ['/list', (_, response) => json(response, JSON.stringify({ data: page.all(11).slice(0, 10), meta: count.get() }))],
  ['/search', (_, response) => json(response, JSON.stringify({ data: search.all(LIMIT_PLATE as string, 21) }))],
  [
    '/page-with-include',
    (_, response) => {
      const cars = page.all(101).slice(0, 100) as { owner_id: string }[];
      const found = new Map(owners.all(...cars.map((car) => car.owner_id)).map((owner) => [owner.id, owner]));
      json(
        response,
        JSON.stringify({
          data: cars.map((car) => ({ ...car, owner: { data: found.get(car.owner_id) } })),
          meta: count.get(),
        }),
      );
    },
  ],
  ['/client-credentials', (request, response) => afterBody(request, () => tokens(response, durableSession()))],
  [
    '/refresh',
    (request, response) =>
      afterBody(request, () => {
        const id = rotated[next++ % rotated.length] as string;
        rotate.run(id);
        tokens(response, id);
      }),
  ],
  ['/password', (request, response) => afterBody(request, () => hash(() => json(response, '{"token_type":"Bearer"}')))],
  [
    '/register',
    (request, response) =>
      afterBody(request, () => hash(() => json(response, JSON.stringify({ data: { id: durableSession() } })))),
  ],
  [
    '/create',
    (request, response) => afterBody(request, () => json(response, JSON.stringify({ data: { id: durableSession() } }))),
  ],
  ['/bench/operations', (_, response) => json(response, JSON.stringify(operations))],
]);

const get = (path: string, includes: string): BenchRequest => ({
  method: 'GET',
  path,
  headers: exchange.request,
  expect: { status: 200, includes },
});
const post = (path: string, includes: string): BenchRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: 'grant_type=client_credentials&client_id=00000000-0000-7000-8000-000000000000&client_secret=0123456789012345678901234567890123456789012',
  expect: { status: 200, includes },
});
const ids = (read.prepare('select id from cars order by id limit 2000').all() as { id: string }[]).map(({ id }) => id);
const operations: Operations = {
  get: get('/get', LIMIT_CAR as string),
  'get any': { ...get(`${anyCar}{}`, '"plate":'), values: ids },
  // A 304 is compared with the GET, measured in the same rounds.
  'not modified': get('/get', LIMIT_CAR as string),
  list: get('/list', '"data":[{'),
  search: get('/search', '"data":[{'),
  'page with include': get('/page-with-include', '"owner":{"data":{'),
  'client credentials': post('/client-credentials', 'access_token'),
  refresh: post('/refresh', 'access_token'),
  password: post('/password', 'Bearer'),
  create: post('/create', 'id'),
  register: post('/register', 'id'),
};

createServer((request, response) => {
  const url = request.url as string;
  const handle = handlers.get(url);
  if (handle) return handle(request, response);
  if (url.startsWith(anyCar)) return json(response, JSON.stringify({ data: byId.get(url.slice(anyCar.length)) }));
  response.writeHead(404);
  response.end();
}).listen(Number(PORT), '127.0.0.1');
