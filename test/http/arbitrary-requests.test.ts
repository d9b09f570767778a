import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../harness/engines.ts';
import { sendOne } from '../harness/raw-http.ts';
import { type Service, services } from '../harness/service.ts';

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
}

interface Description {
  readonly paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema?: Schema } | undefined> } }>
  >;
  readonly components: { readonly schemas: Record<string, Schema> };
}

interface Route {
  readonly method: string;
  readonly path: string;
  /** The schema of its body. */
  readonly members: readonly string[];
}

/** Every route of the service, with placeholders for its parameters. */
async function routesOf(url: string): Promise<Route[]> {
  const { paths, components } = (await (await fetch(`${url}/openapi.json`)).json()) as Description;
  const membersOf = (schema: Schema | undefined): string[] =>
    schema?.$ref
      ? membersOf(components.schemas[schema.$ref.split('/').at(-1) as string])
      : Object.keys(schema?.properties ?? {});
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      members: membersOf(requestBody?.content['application/json']?.schema),
    })),
  );
}

const unusualText = fc.oneof(
  fc.constantFrom(
    'null',
    '%00',
    '%ff',
    '%',
    '..',
    '*',
    '\\',
    "'",
    '"',
    ';',
    ':',
    ',',
    '__proto__',
    'constructor',
    '-1',
    '1e999',
  ),
  fc.constantFrom(
    '9'.repeat(40),
    'x'.repeat(2000),
    '%f0%9f%98%80',
    '%ed%a0%80',
    '<script>',
    '{{7*7}}',
    ' ',
    '0',
    'true',
  ),
  fc.uuid(),
  fc.string({ maxLength: 30 }).map(encodeURIComponentSafely),
);
const parameter = fc.constantFrom(
  'search',
  'orderBy',
  'sortedBy',
  'filter',
  'include',
  'page',
  'limit',
  'cursor',
  'count',
  'searchJoin',
  'x',
);
const query = fc
  .array(fc.tuple(parameter, unusualText), { maxLength: 3 })
  .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const names = [
  'email',
  'password',
  'username',
  'grant_type',
  'client_id',
  'client_secret',
  'refresh_token',
  'scope',
  'token',
  'name',
  'roles',
  'scopes',
  'id',
];
const jsonBody = fc
  .dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 10 })), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 5,
  })
  .map((body) => ({ type: 'application/json', textFor: () => JSON.stringify(body) }));
const unusualValue = fc.oneof(
  fc.constantFrom<unknown>('', ' ', null, [], [''], {}, 0, -1, 1e308, 2 ** 53, true, 'x'.repeat(3000), '\u202e', 'me'),
  fc.jsonValue({ maxDepth: 2 }),
);
/** The named parameters of the route, with arbitrary values. */
const knownMembers = fc.array(fc.tuple(fc.nat(30), unusualValue), { minLength: 1, maxLength: 4 }).map((chosen) => ({
  type: 'application/json',
  textFor: ({ members }: Route) =>
    JSON.stringify(Object.fromEntries(chosen.map(([n, value]) => [members[n % members.length] ?? 'x', value]))),
}));
const formBody = fc.array(fc.tuple(fc.constantFrom(...names), unusualText), { maxLength: 5 }).map((pairs) => ({
  type: 'application/x-www-form-urlencoded',
  textFor: () => pairs.map((pair) => pair.join('=')).join('&'),
}));
const anyBody = fc
  .tuple(
    fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain'),
    fc.string({ maxLength: 40 }),
  )
  .map(([type, text]) => ({ type, textFor: () => text }));

onBothEngines('Arbitrary requests', (engine) => {
  const start = services(engine);
  let service: Service;
  let routes: Route[];
  let token: string;
  before(async () => {
    service = await start();
    routes = await routesOf(service.url);
    const login = await fetch(`${service.url}/v1/clients/web/admin/login`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ email: 'admin@example.com', password: 'correct horse battery' }),
    });
    token = ((await login.json()) as { access_token: string }).access_token;
  });

  it('get a clear response and never a 500', async () => {
    // Routes that end the session would make the rest meaningless. Routes that hash passwords would take minutes.
    const harmlessRoutes = routes.filter(
      ({ method, path }) => path !== '/v1/logout' && !(method === 'DELETE' && path.startsWith('/v1/users')),
    );
    const attempt = fc.record({
      route: fc.constantFrom(...harmlessRoutes),
      ids: fc.array(fc.oneof(unusualText, fc.constant('me')), { minLength: 2, maxLength: 2 }),
      query,
      body: fc.oneof(knownMembers, jsonBody, formBody, anyBody),
      authorization: fc.constantFrom(`Bearer ${token}`, `Bearer ${token}`, 'Bearer x.y.z', 'Basic Zm9vOmJhcg==', ''),
      ifMatch: fc.constantFrom('', 'If-Match: "x"\r\n', 'If-None-Match: *\r\n', 'Idempotency-Key: \u00ff\r\n'),
    });
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(attempt, async ({ route, ids, query: search, body, authorization, ifMatch }) => {
        let n = 0;
        const path = route.path.replace(/\{\w+\}/g, () => (ids[n++ % 2] as string).replaceAll(' ', '%20'));
        const target = `${path}${search ? `?${search.replaceAll(' ', '%20')}` : ''}`;
        const hasBody = !['GET', 'HEAD'].includes(route.method);
        const text = hasBody ? body.textFor(route) : '';
        const content = hasBody ? `Content-Type: ${body.type}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n` : '';
        const head = `${route.method} ${target} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nConnection: close\r\n`;
        const auth = authorization ? `Authorization: ${authorization}\r\n` : '';
        const bytes = Buffer.concat([
          Buffer.from(`${head}${auth}${ifMatch}${content}\r\n`, 'latin1'),
          Buffer.from(text),
        ]);
        const response = await sendOne(service.url, bytes);
        seen.add(response.status);
        assert.ok(response.status < 500, `${response.status} to ${route.method} ${target} ${text}: ${response.body}`);
        assert.ok(response.headers.get('x-request-id'));
        if (response.status >= 400) {
          const problem = response.json();
          assert.ok(typeof problem.detail === 'string' || typeof problem.error_description === 'string', response.body);
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 300), interruptAfterTimeLimit: 40_000 },
    );
    for (const status of [200, 400, 401, 404, 422])
      assert.ok(seen.has(status), `no response with the status ${status}`);
  });
});
