import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { type StepUp, stepUp } from '../../src/resources/declaration/step-up.ts';
import { password } from '../harness/accounts.ts';
import { onBothEngines } from '../harness/engines.ts';
import { addOwner, type Owner, rowOf } from '../harness/owners.ts';
import { type JsonResponse, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const sixMinutes = 360_000;

describe('A declared step-up', () => {
  it('reports errors in its declaration', () => {
    const wrong: [object, RegExp][] = [
      [{ acr: 3 }, /acr takes 1, 2 or 'phr'/],
      [{ maxAge: '5 minutes' }, /maxAge takes seconds, or a string such as '5m'/],
      [{ maxAge: 0 }, /maxAge takes/],
      [{ maxage: '5m' }, /Did you mean maxAge/],
    ];
    for (const [options, message] of wrong) assert.throws(() => stepUp(options as StepUp), message);
  });
});

onBothEngines('A declared step-up', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({
      env: {
        RESOURCES_DIR: join(import.meta.dirname, 'resources'),
        ROUTES_DIR: join(import.meta.dirname, 'routes'),
      },
    });
  });

  const requestAs = (
    method: string,
    path: string,
    { token }: Pick<Owner, 'token'>,
    json?: unknown,
  ): Promise<JsonResponse> => request(service, path, { method, token, ...(json === undefined ? {} : { json }) });
  const prove = (owner: Owner) => requestAs('POST', '/v1/sessions/current/proofs', owner, { password });
  const vaultOf = async (owner: Owner) =>
    `/v1/vaults/${rowOf(await requestAs('POST', '/v1/vaults', owner, { title: 'Gold' })).id}`;
  const expectTooOld = ({ status, headers, body }: JsonResponse, challenge = /max_age="300"/) => {
    assert.deepEqual([status, body.code], [401, 'proof_too_old'], JSON.stringify(body));
    assert.match(headers.get('www-authenticate') ?? '', challenge);
  };

  it('is required by a resource, and the same token works after it', async () => {
    const owner = await addOwner(service);
    const vault = await vaultOf(owner);
    service.advance(sixMinutes);
    assert.equal((await requestAs('GET', vault, owner)).status, 200);
    expectTooOld(await requestAs('DELETE', vault, owner));
    assert.equal((await prove(owner)).status, 201);
    assert.equal((await requestAs('DELETE', vault, owner)).status, 204);
  });

  it('is not required if another rule refuses or allows the request', async () => {
    const [owner, stranger, admin] = [
      await addOwner(service),
      await addOwner(service),
      await addOwner(service, ['admin']),
    ];
    const vault = await vaultOf(owner);
    service.advance(sixMinutes);
    assert.equal(
      (await requestAs('PATCH', vault, owner, { title: 'Silver' })).status,
      200,
      'owners can change it without a step-up',
    );
    assert.equal((await requestAs('PATCH', vault, stranger, { title: 'Mine' })).status, 404);
    assert.equal(
      (await requestAs('DELETE', vault, stranger)).status,
      401,
      'the response does not reveal who owns the row',
    );
    expectTooOld(await requestAs('PATCH', vault, admin, { title: 'Taken' }));
    await prove(admin);
    assert.equal((await requestAs('PATCH', vault, admin, { title: 'Taken' })).status, 200);
  });

  it('is required by each row of a batch', async () => {
    const owner = await addOwner(service);
    const id = (await vaultOf(owner)).split('/').at(-1) as string;
    service.advance(sixMinutes);
    const batch = () => requestAs('DELETE', '/v1/vaults/batches', owner, { ids: [id] });
    const [refused] = (await batch()).body.data as { status: number; error: { code: string; max_age: number } }[];
    assert.deepEqual([refused?.status, refused?.error.code, refused?.error.max_age], [401, 'proof_too_old', 300]);
    await prove(owner);
    assert.equal(((await batch()).body.data as { status: number }[])[0]?.status, 204);
  });

  it('is required by an action, with the level that it needs', async () => {
    const owner = await addOwner(service);
    const vault = await vaultOf(owner);
    expectTooOld(await requestAs('POST', `${vault}/openings`, owner), /max_age="300", acr_values="urn:gatehouse:2"/);
  });

  it('is required by a route', async () => {
    const [user, admin] = [await addOwner(service), await addOwner(service, ['admin'])];
    service.advance(sixMinutes);
    assert.equal((await requestAs('POST', '/v1/alarms', user)).status, 403);
    expectTooOld(await requestAs('POST', '/v1/alarms', admin));
    await prove(admin);
    assert.equal((await requestAs('POST', '/v1/alarms', admin)).status, 200);
  });

  it('is described in OpenAPI', async () => {
    type Operation = { description?: string };
    const { body } = await request<{ paths: Record<string, Record<string, Operation>> }>(service, '/openapi.json');
    const of = (path: string, method: string) => body.paths[path]?.[method]?.description ?? '';
    assert.match(of('/v1/vaults/{id}', 'delete'), /at most 300 seconds old/);
    assert.match(of('/v1/vaults/{id}/openings', 'post'), /urn:gatehouse:2/);
    assert.match(of('/v1/alarms', 'post'), /proof_too_old/);
    assert.doesNotMatch(of('/v1/vaults/{id}', 'get'), /proof/);
  });
});
