import { argon2, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { BenchRequest, Operations } from '../measure/request.ts';
import { carsOnPage, countOfCars, oneCar, ownersOfPage, searchedCars } from './queries.ts';
import { afterBody, exchange, generateKey, json, openSessions, post, signedToken, tokenResponse } from './tokens.ts';

/**
 * The least work that an operation needs, on bare `node:http`: no routing, no validation, no authentication. It responds
 * with the same rows and headers as Gatehouse. `LIMIT_DATABASE` is the database of the compared Gatehouse (read only).
 * `LIMIT_ANSWER` is a file with the headers of one of its requests and responses.
 */
const { PORT, LIMIT_DATABASE, LIMIT_CAR, LIMIT_PLATE } = process.env as Record<string, string>;
const read = new DatabaseSync(LIMIT_DATABASE as string, { readOnly: true });
const byId = read.prepare(oneCar);
const page = read.prepare(carsOnPage);
const count = read.prepare(countOfCars);
const search = read.prepare(searchedCars);
const owners = read.prepare(ownersOfPage(100));
const sessions = openSessions();
const key = generateKey();
const tokens = (response: ServerResponse, session: string): void =>
  json(response, tokenResponse(signedToken(key, session), session));

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

const rotated = Array.from({ length: 64 }, sessions.insert);
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
  ['/client-credentials', (request, response) => afterBody(request, () => tokens(response, sessions.insert()))],
  [
    '/refresh',
    (request, response) =>
      afterBody(request, () => {
        const id = rotated[next++ % rotated.length] as string;
        sessions.rotate(id);
        tokens(response, id);
      }),
  ],
  ['/password', (request, response) => afterBody(request, () => hash(() => json(response, '{"token_type":"Bearer"}')))],
  [
    '/register',
    (request, response) =>
      afterBody(request, () => hash(() => json(response, JSON.stringify({ data: { id: sessions.insert() } })))),
  ],
  [
    '/create',
    (request, response) =>
      afterBody(request, () => json(response, JSON.stringify({ data: { id: sessions.insert() } }))),
  ],
  ['/bench/operations', (_, response) => json(response, JSON.stringify(operations))],
]);

const get = (path: string, includes: string): BenchRequest => ({
  method: 'GET',
  path,
  headers: exchange.request,
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
