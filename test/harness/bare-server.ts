import { Readable } from 'node:stream';
import { after } from 'node:test';
import pino from 'pino';
import { Type } from 'typebox';
import { parseConfig } from '../../src/config/config.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { unauthorized } from '../../src/http/gate/unauthorized.ts';
import { createServer } from '../../src/http/server.ts';
import { anonymousCaller } from '../../src/platform/caller.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createTestDatabase } from './engines.ts';

const caller = { ...anonymousCaller, kind: 'user', scopes: ['things:read'] } as const;

/**
 * Only the HTTP layer, with a route of each kind, to test the rules of every route without any feature. Call it in
 * the body of a suite. It is closed after the suite.
 */
export function bareServers(): (env?: Record<string, string>) => Promise<string> {
  const closings: (() => Promise<void>)[] = [];
  after(async () => {
    for (const close of closings) await close();
  });
  return async (env = {}) => {
    const home = await createTestDatabase('sqlite');
    const config = parseConfig({}, { DATABASE_URL: home.url, DATA_DIR: home.dir, RATE_LIMIT: '0', ...env }, home.dir);
    const database = await openDatabase(config);
    const log = pino({ level: 'silent' });
    const app = await createServer(
      { config, database, log, metrics: createMetrics(), now: Date.now },
      {
        bearer(token) {
          if (token === 'slow') return Promise.resolve({ ...caller, userId: 'slow' });
          if (token.startsWith('good')) return { ...caller, userId: token };
          throw unauthorized('token_malformed');
        },
        async web() {
          throw unauthorized('token_missing');
        },
      },
    );
    const open = { config: { auth: 'public' } } as const;
    app.get('/v1/things', { config: { auth: 'public', query: 'own' } }, async (request) => ({
      data: [],
      query: request.query,
    }));
    app.post('/v1/things', open, async (request, reply) => reply.code(201).send({ data: request.body ?? null }));
    app.get('/v1/things/:id', open, async (request) => ({ data: request.params }));
    app.delete('/v1/things/:id', open, async (_request, reply) => reply.code(204).send());
    app.post(
      '/v1/strict',
      { ...open, schema: { body: Type.Object({ name: Type.String() }, { additionalProperties: false }) } },
      async (request) => ({ data: request.body }),
    );
    app.get(
      '/v1/defaults',
      { ...open, schema: { querystring: Type.Object({ page: Type.String({ default: '1' }) }) } },
      async (request) => ({ data: request.query }),
    );
    app.post('/v1/oauth/form', { config: { auth: 'public', errors: 'oauth' } }, async (request) => ({
      data: request.body,
    }));
    app.put('/v1/oauth/things/:id', { config: { auth: 'public', errors: 'oauth' } }, async () => ({}));
    app.get('/v1/guarded', { config: { auth: 'auth:api', scope: 'things:read' } }, async (request) => ({
      data: request.caller.userId,
    }));
    app.get('/v1/narrow', { config: { auth: 'auth:api', scope: 'others:read' } }, async () => ({ data: null }));
    app.get('/v1/broken', open, async () => {
      throw new Error('select * from secrets');
    });
    app.get('/v1/broken/:value', open, async ({ params }) => {
      throw (params as { value: string }).value === 'null' ? null : undefined;
    });
    app.get('/v1/broken/headers/:name', open, async ({ params }, reply) => {
      const { name } = params as { name: string };
      return reply.header(name, name === 'x-symbol' ? Symbol('a') : '€').send({ data: null });
    });
    app.get('/v1/broken/validation', open, async () => {
      throw Object.assign(new Error('select'), { validation: { email: ['is taken'] }, statusCode: 422.5 });
    });
    app.get('/plain', open, async (_request, reply) => reply.type('text/plain').send('hello'));
    let closedStreams = 0;
    app.get('/v1/endless', open, async (_request, reply) => {
      const endless = new Readable({ read: () => undefined });
      endless.once('close', () => closedStreams++);
      return reply.header('etag', '"endless"').type('text/plain').send(endless);
    });
    app.get('/v1/endless-web', open, async (_request, reply) =>
      reply.type('text/plain').send(new ReadableStream({ cancel: () => void closedStreams++ })),
    );
    app.get('/v1/closed-streams', open, async () => ({ data: closedStreams }));
    app.get('/v1/either', { config: { auth: 'public', bearer: 'optional' } }, async () => ({ data: [] }));
    app.get('/anybody', { config: { auth: 'public', cors: 'any' } }, async () => ({ data: [] }));
    closings.push(async () => {
      await app.close();
      await database.close();
      await home.remove();
    });
    return app.listen({ host: '127.0.0.1', port: 0 });
  };
}
