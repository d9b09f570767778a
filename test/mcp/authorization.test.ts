import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { onBothEngines } from '../harness/engines.ts';
import { connectAssistant } from '../harness/mcp-client.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const parts = ['properties', 'anyOf', 'oneOf', 'allOf'];
const rules = ['type', 'enum', 'const', 'not', '$ref', 'anyOf', 'oneOf', 'allOf'];

/** The paths of schemas that do not describe their value, or have several types. */
function untypedPaths(schema: unknown, path: string): string[] {
  const node = schema as Record<string, unknown>;
  const inner = parts.flatMap((part) =>
    Object.entries(node[part] ?? {}).flatMap(([key, one]) => untypedPaths(one, `${path}.${part}.${key}`)),
  );
  const items = node.items === undefined ? [] : untypedPaths(node.items, `${path}.items`);
  const isSilent = !rules.some((rule) => rule in node) || Array.isArray(node.type);
  return [...(isSilent ? [path] : []), ...inner, ...items];
}

const resourcesDir = fileURLToPath(new URL('../../examples/fleet/resources', import.meta.url));

onBothEngines('Authorization at /mcp', (engine) => {
  const start = services(engine);
  let service: Service;
  let visitor: Visitor;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resourcesDir, DYNAMIC_CLIENTS: 'open' } });
    visitor = new Visitor(service);
    await visitor.signIn('admin@example.com', 'correct horse battery');
  });

  it('lists offline_access, so that a client gets a refresh token', async () => {
    const { body } = await request(service, '/.well-known/oauth-protected-resource/mcp');
    assert.ok((body.scopes_supported as string[]).includes('offline_access'));
    const { refreshToken } = await connectAssistant(service, visitor);
    assert.ok(refreshToken);
  });

  it('responds 403 with the required scopes if one is missing', async () => {
    const { token, asked } = await connectAssistant(service, visitor, { without: (scope) => scope === 'cars:write' });
    const call = (name: string, given: object) =>
      request(service, '/mcp', {
        token,
        json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
        headers: { accept: 'application/json, text/event-stream' },
      });
    const refused = await call('create', { resource: 'cars', values: {} });
    assert.equal(refused.status, 403);
    const challenge = refused.headers.get('www-authenticate') ?? '';
    assert.match(challenge, /^Bearer .*error="insufficient_scope"/);
    assert.match(challenge, /resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/mcp"/);
    const scopes = /scope="([^"]+)"/.exec(challenge)?.[1]?.split(' ') ?? [];
    assert.deepEqual(scopes.toSorted(), asked.toSorted(), 'the scopes of the token, and the missing one');
    assert.equal((await call('list', { resource: 'cars' })).status, 200);
    assert.equal(
      (await call('create', { resource: 'made-up', values: {} })).status,
      200,
      'no scope would allow the call',
    );
  });

  it('publishes schemas that a strict validator accepts without a warning', async () => {
    const { client } = await connectAssistant(service, visitor);
    const warnings: string[] = [];
    const warn = (...parts: unknown[]) => void warnings.push(parts.join(' '));
    const ajv = new Ajv2020({ strict: 'log', allErrors: true, logger: { log: warn, warn, error: warn } });
    addFormats.default(ajv);
    const { tools } = await client.listTools();
    for (const { name, inputSchema, outputSchema } of tools) {
      for (const schema of [inputSchema, outputSchema]) {
        warnings.length = 0;
        ajv.compile(schema as object);
        assert.deepEqual(warnings, [], name);
        assert.deepEqual(untypedPaths(schema, name), [], 'the Inspector warns about these with --strict');
      }
    }
  });
});
