import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connectAssistant } from '../harness/mcp-client.ts';
import { personalClient, registerUser } from '../harness/people.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const resourcesDir = fileURLToPath(new URL('resources', import.meta.url));

describe('The MCP server', () => {
  const start = services('sqlite');
  let service: Service;
  let assistant: Awaited<ReturnType<typeof connectAssistant>>;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resourcesDir, DYNAMIC_CLIENTS: 'open', MCP_RATE_LIMIT: '30' } });
    const visitor = new Visitor(service);
    await visitor.signIn('admin@example.com', 'correct horse battery');
    assistant = await connectAssistant(service, visitor);
  });

  const call = async (name: string, given: Record<string, unknown>) => {
    const { content, isError } = await assistant.client.callTool({ name, arguments: given });
    return {
      isError,
      result: JSON.parse((content as { text: string }[])[0]?.text as string) as Record<string, unknown>,
    };
  };

  it('can exclude a resource completely', async () => {
    assert.ok(assistant.asked.includes('notes:read') && !assistant.asked.includes('diaries:read'));
    const tools = JSON.stringify(await assistant.client.listTools());
    assert.ok(tools.includes('"notes"') && !tools.includes('"diaries"'));
    assert.equal((await call('list', { resource: 'diaries' })).result.status, 400);
    assert.equal((await call('list', { resource: 'notes', include: 'diary' })).result.status, 400);
    const { result } = await call('describe', { resource: 'notes' });
    assert.deepEqual((result.resources as { relations: object }[])[0]?.relations, {});
    assert.ok(!JSON.stringify(result).includes('"diaries"'));
  });

  it('offers a personal client only what it can do', async () => {
    const owner = await registerUser(service);
    const { id, secret } = await personalClient(service, owner.token);
    const resource = `${service.context.config.baseUrl}/mcp`;
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, resource };
    const granted = await request<{ access_token: string }>(service, '/v1/oauth/token', { form });
    const toolsOf = async (token: string) => {
      const json = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const headers = { accept: 'application/json, text/event-stream' };
      const { status, text } = await request(service, '/mcp', { json, token, headers });
      assert.equal(status, 200, text);
      const { result } = JSON.parse(text.slice(text.indexOf('{'))) as { result: { tools: { name: string }[] } };
      return (name: string) => JSON.stringify(result.tools.find((tool) => tool.name === name));
    };
    const ofClient = await toolsOf(granted.body.access_token);
    const ofUser = await toolsOf(assistant.token);
    for (const tool of ['create', 'update', 'delete']) {
      assert.ok(ofClient(tool).includes('"notes"') && !ofClient(tool).includes('"vaults"'), ofClient(tool));
      assert.ok(ofUser(tool).includes('"vaults"'), 'a user can prove the identity');
    }
    assert.ok(ofClient('list').includes('"vaults"'));
    assert.doesNotMatch(ofClient('act'), /users\.(get\.)?(factors|email-changes)/);
    assert.match(ofUser('act'), /users\..*factors/);
  });

  it('runs an action of a collection only on the collection', async () => {
    assert.deepEqual((await call('act', { action: 'notes.count' })).result, { data: { count: 3 } });
    assert.equal((await call('get', { resource: 'notes', id: 'count' })).result.status, 400);
    assert.equal((await call('act', { action: 'notes.count', id: 'x' })).result.status, 400);
  });

  it('refuses an unknown host name (DNS rebinding)', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: rebound.example',
      `Authorization: Bearer ${assistant.token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    const [response] = await sendRaw(service.url, `${head.join('\r\n')}\r\n\r\n${body}`);
    assert.deepEqual([response?.status, response?.json().code], [403, 'foreign_origin']);
  });

  it('refuses invalid input with a clear error', async () => {
    const { token } = assistant;
    for (const json of [null, [], 1, 'text', {}, { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' }]) {
      const { status } = await request(service, '/mcp', {
        json,
        token,
        headers: { accept: 'application/json, text/event-stream' },
      });
      assert.ok(status < 500, `${JSON.stringify(json)}: ${status}`);
    }
    assert.equal((await request(service, '/mcp', { token })).status, 405);
    assert.equal((await request(service, '/mcp', { form: 'a=b', token })).status, 415);
  });

  it('has a separate rate limit', async () => {
    const send = () => request(service, '/mcp', { json: {}, token: assistant.token });
    const statuses = new Set<number>();
    for (let i = 0; i < 31; i++) statuses.add((await send()).status);
    assert.ok(statuses.has(429));
    service.advance(60_000);
    assert.notEqual((await send()).status, 429);
  });

  it('is disabled by MCP=off', async () => {
    const off = await start({ env: { MCP: 'off' } });
    assert.equal((await request(off, '/mcp', { json: {} })).status, 404);
    assert.equal((await request(off, '/.well-known/oauth-protected-resource/mcp')).status, 404);
  });
});
