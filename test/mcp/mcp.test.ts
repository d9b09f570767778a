import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { logIn as logInFleet, seed } from '../../examples/fleet/seed.ts';
import { onBothEngines } from '../harness/engines.ts';
import { connectAssistant } from '../harness/mcp-client.ts';
import { request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

type Row = Record<string, unknown> & { id: string };

const resourcesDir = fileURLToPath(new URL('../../examples/fleet/resources', import.meta.url));

onBothEngines('An assistant', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let visitor: Visitor;
  let assistant: Awaited<ReturnType<typeof connectAssistant>>;
  before(async () => {
    service = await start({ env: { RESOURCES_DIR: resourcesDir, DYNAMIC_CLIENTS: 'open' } });
    admin = await logInFleet(service.url, 'admin@example.com', 'correct horse battery');
    await seed(service.url, admin);
    visitor = new Visitor(service);
    // The owner of both cars, because an application acts without the roles of its user.
    await visitor.signIn('ada@fleet.example', 'fleet-example-user');
    assistant = await connectAssistant(service, visitor);
  });

  const call = async (client: Client, name: string, given: Record<string, unknown> = {}) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: given });
    const [text] = content as { text: string }[];
    const found = structuredContent as {
      data: Row & Row[];
      next_cursor: string | null;
      etag: string;
      resources: Row[];
    };
    return { ...found, isError, problem: JSON.parse(text?.text as string) as Record<string, unknown> };
  };
  const toolsOf = async (client: Client) =>
    new Map((await client.listTools()).tools.map((tool) => [tool.name, tool] as const));

  it('gets a token from the address of the server alone', async () => {
    const { headers, status } = await request(service, '/mcp', { json: {} });
    const pointer = `${service.context.config.baseUrl}/.well-known/oauth-protected-resource/mcp`;
    assert.equal(status, 401);
    assert.ok(headers.get('www-authenticate')?.includes(`resource_metadata="${pointer}"`));
    assert.ok(assistant.page.html.includes('Somebody’s assistant'));
    assert.ok(assistant.asked.includes('cars:write') && !assistant.asked.includes('tokens:write'));
    assert.ok(
      assistant.asked.includes('events:read') && !assistant.asked.includes('events:write'),
      'events cannot be written',
    );
    assert.equal(assistant.client.getNegotiatedProtocolVersion(), '2026-07-28');
  });

  it('has a token for this address only, and no other token is accepted', async () => {
    const api = await request(service, '/v1/cars', { token: assistant.token });
    assert.deepEqual([api.status, api.body.code], [401, 'token_malformed']);
    const { status } = await request(service, '/mcp', { json: {}, token: admin });
    assert.equal(status, 401);
  });

  it('searches, books and parks', async () => {
    const { client } = assistant;
    const all = await call(client, 'describe');
    const names = all.resources.map(({ name }) => name);
    assert.ok(names.includes('cars') && !names.includes('tokens') && !names.includes('clients'));
    const found = await call(client, 'list', { resource: 'cars', search: 'model:fiat*', orderBy: 'seats', limit: 1 });
    assert.equal(found.data[0]?.plate, 'CD 456');
    const next = await call(client, 'list', {
      resource: 'cars',
      search: 'model:fiat*',
      orderBy: 'seats',
      limit: 1,
      cursor: found.next_cursor,
    });
    assert.equal(next.data[0]?.plate, 'AB 123');
    const car = next.data[0] as Row;
    const drivers = await call(client, 'list', { resource: 'drivers', filter: 'id;name' });
    const taken = await call(client, 'list', { resource: 'assignments', search: `car_id:${car.id}` });
    const free = drivers.data.find(({ id }) => taken.data.every(({ driver_id }) => driver_id !== id)) as Row;
    const booking = { resource: 'assignments', values: { car_id: car.id, driver_id: free.id }, idempotency_key: 'one' };
    const booked = await call(client, 'create', booking);
    assert.equal(booked.data.driver_id, free.id);
    assert.equal((await call(client, 'create', booking)).data.id, booked.data.id, 'nothing is created twice');
    const parked = await call(client, 'act', { action: 'cars.park', id: car.id, body: { place: 'Dock 4' } });
    assert.equal(parked.data.parked_at, 'Dock 4');
    const { etag, data } = await call(client, 'get', { resource: 'cars', id: car.id });
    assert.equal(data.parked_at, 'Dock 4');
    const values = { seats: 5 };
    const change = { resource: 'cars', id: car.id, values, if_match: etag };
    const changed = await call(client, 'update', { ...change, idempotency_key: 'two' });
    assert.equal(changed.data.seats, 5);
    const again = await call(client, 'update', { ...change, idempotency_key: 'two' });
    assert.equal(again.etag, changed.etag, 'a repetition gets the first response');
    const late = await call(client, 'update', change);
    assert.deepEqual([late.isError, late.problem.status], [true, 412]);
    assert.match(String(late.problem.advice), /get it again/);
    const removal = { resource: 'assignments', id: booked.data.id, idempotency_key: 'three' };
    for (const _ of [1, 2]) assert.equal((await call(client, 'delete', removal)).isError, undefined);
  });

  it('lists rows whose JSON is longer than 64 KiB', async () => {
    const { data } = (await request<{ data: Row[] }>(service, '/v1/cars', { token: admin })).body;
    const put = (equipment: unknown) =>
      Promise.all(
        data.map(({ id }) =>
          request(service, `/v1/cars/${id}`, { method: 'PATCH', json: { equipment }, token: admin }),
        ),
      );
    for (const { status } of await put({ manual: 'x'.repeat(60_000) })) assert.equal(status, 200);
    const countReads = async () => {
      const { text } = await request(service, '/metrics');
      return Number(/_seconds_count\{method="GET",route="\/v1\/cars",status="200"\} (\d+)/.exec(text)?.[1]);
    };
    const readsBefore = await countReads();
    const listed = await call(assistant.client, 'list', { resource: 'cars' });
    assert.equal(listed.isError, undefined);
    assert.ok(listed.data.length > 0);
    const reads = (await countReads()) - readsBefore;
    assert.ok(reads <= 3, `${reads} reads, each with fewer rows`);
    await put(null);
  });

  it('gets the error details of the API', async () => {
    const { client } = assistant;
    const wrong = await call(client, 'create', { resource: 'cars', values: { plate: '!' } });
    assert.deepEqual([wrong.isError, wrong.problem.code], [true, 'validation_failed']);
    for (const given of [
      { resource: 'tokens', id: 'x' },
      { resource: 'cars', id: '..' },
      { resource: 'cars', id: '' },
      { resource: 'cars' },
      { resource: 'cars', id: 'x', more: 1 },
      { resource: 'users', id: 'me', include: 'tokens' },
    ]) {
      const refused = await call(client, 'get', given);
      assert.deepEqual([refused.isError, refused.problem.status], [true, 400], JSON.stringify(given));
    }
    assert.equal((await call(client, 'list', { resource: 'cars', limit: 51 })).problem.status, 400);
    assert.equal((await call(client, 'get', { resource: 'cars', id: '../users/me' })).problem.status, 404);
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /tool does not exist/);
  });

  it('is recorded with its name in an event for each call', async () => {
    const { body } = await request<{ data: Row[] }>(service, '/v1/events?search=type:mcp.called&orderBy=id&limit=100', {
      token: admin,
    });
    const parked = body.data.map(({ data }) => data as Row).find(({ tool }) => tool === 'act') as Row;
    assert.deepEqual([parked.application, parked.action], ['Somebody’s assistant', 'cars.park']);
    const counted = await request<{ data: Row[] }>(service, '/v1/mcp-calls?orderBy=calls', { token: admin });
    assert.equal(counted.body.data.length, 1, 'one row per application and day');
    assert.equal(counted.body.data[0]?.application, 'Somebody’s assistant');
    assert.equal(counted.body.data[0]?.calls, body.data.length);
  });

  it('has no writing tools with only read scopes, in both protocol revisions', async () => {
    const reader = new Visitor(service);
    await reader.signIn('grace@fleet.example', 'fleet-example-user');
    const without = (scope: string) => !/^(cars|drivers):read$/.test(scope);
    const { client } = await connectAssistant(service, reader, { without, mode: 'legacy' });
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25');
    const tools = await toolsOf(client);
    assert.deepEqual([...tools.keys()], ['describe', 'list', 'get']);
    const schema = tools.get('list')?.inputSchema.properties as Record<string, { enum: string[] }>;
    assert.deepEqual(schema.resource?.enum.sort(), ['cars', 'drivers']);
    await assert.rejects(client.callTool({ name: 'delete', arguments: { resource: 'cars', id: 'x' } }));
    const all = await toolsOf(assistant.client);
    assert.deepEqual([...all.keys()], ['describe', 'list', 'get', 'create', 'update', 'delete', 'act']);
    const hints = [...all.values()].map(({ annotations }) => annotations?.readOnlyHint);
    assert.deepEqual(hints, [true, true, true, false, false, false, false]);
  });

  it('is refused in a page of another origin, and on another host', async () => {
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const send = (headers: Record<string, string>) =>
      request(service, '/mcp', { json, token: assistant.token, headers });
    const foreign = await send({ origin: 'https://evil.example' });
    assert.deepEqual([foreign.status, foreign.body.code], [403, 'foreign_origin']);
    const responses = { accept: 'application/json, text/event-stream' };
    for (const origin of [service.context.config.baseUrl, 'http://localhost:6274']) {
      assert.equal((await send({ ...responses, origin })).status, 200, origin);
    }
  });

  it('loses access with its consent, at the next call', async () => {
    const page = await visitor.get('/settings/connections');
    const [, path = ''] = /action="(\/settings\/connections\/[\w-]+\/withdraw)"/.exec(page.html) ?? [];
    await visitor.send(path, {});
    const { status } = await request(service, '/mcp', { json: {}, token: assistant.token });
    assert.equal(status, 401);
  });
});
