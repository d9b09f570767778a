import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { defineResource, text } from '../../src/resources/declare.ts';
import { garage } from '../../test/harness/garage.ts';
import { openApiProblems } from '../../test/harness/openapi-problems.ts';
import { type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';

describe('Descriptions of resources', () => {
  const start = resourceServices('sqlite');
  let service: ResourceService;
  before(async () => {
    service = await start(garage);
  });

  it('describe the resources for front ends', async () => {
    assert.equal((await service.request('GET', '/v1/resources', { token: null })).status, 401);
    const { rows } = await service.request('GET', '/v1/resources', { token: 'alice' });
    const cars = rows.find(({ name }) => name === 'cars') as Record<string, Record<string, Record<string, unknown>>>;
    assert.deepEqual(cars.scopes, { read: 'cars:read', write: 'cars:write' });
    assert.equal(cars.fields?.seats?.max, 60);
    assert.equal(cars.fields?.seats?.default, 4);
    assert.deepEqual(cars.fields?.color?.values, ['red', 'Green', 'blue']);
    assert.equal(cars.fields?.owner_id?.references, 'owners');
    assert.equal(cars.fields?.label?.readOnly, true);
    assert.deepEqual(cars.relations?.owner, { resource: 'owners', kind: 'belongsTo', by: 'owner_id' });
    assert.deepEqual(cars.readers, { everyone: 'all', roles: { admin: 'all' } });
    const users = rows.find(({ name }) => name === 'users') as Record<string, Record<string, unknown>>;
    assert.ok(!('password_hash' in (users.fields ?? {})), 'hidden fields are not described');
  });

  it('are a valid OpenAPI document with schemas and examples', async () => {
    const { text } = await service.request('GET', '/openapi.json', { token: null });
    assert.deepEqual(await openApiProblems(text), []);
    const { paths, components } = JSON.parse(text);
    const { Car, CarInput, CarPatch, CarList, OwnerCarsInput } = components.schemas;
    assert.deepEqual(Object.keys(paths['/v1/cars/{id}']).sort(), ['delete', 'get', 'patch', 'put']);
    const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    assert.deepEqual(paths['/v1/cars'].post.requestBody.content['application/json'].schema, reference('CarInput'));
    assert.deepEqual(CarInput.required, ['plate', 'owner_id']);
    assert.deepEqual(OwnerCarsInput.required, ['plate'], 'the path names the parent');
    assert.equal(CarPatch.required, undefined);
    assert.equal(paths['/v1/cars/{id}'].patch.requestBody.required, false);
    assert.equal(CarInput.properties.seats.maximum, 60);
    assert.ok(!('label' in CarInput.properties) && !('id' in CarInput.properties));
    assert.deepEqual(
      CarList.properties.data.items,
      { anyOf: [reference('Car'), reference('CarPartial'), reference('CarAggregate')] },
      'filter returns some fields, aggregate returns groups',
    );
    assert.ok('label' in Car.properties && !('pin' in Car.properties));
    assert.ok(Car.required.includes('label') && Car.required.includes('model'), 'null is in the schema too');
    assert.deepEqual(Car.properties.owner.properties.data.anyOf, [reference('Owner'), { type: 'null' }]);
    assert.deepEqual(Car.properties.drivers.properties.data.items, reference('Driver'));
    assert.ok(!Car.required.includes('owner') && !Car.required.includes('drivers'), 'only if they are included');
    assert.deepEqual(paths['/v1/cars'].get.security, [{ bearer: [] }, { oauth2: ['cars:read'] }]);
    assert.deepEqual(paths['/v1/drivers'].get.security, [{}, { bearer: [] }, { oauth2: ['drivers:read'] }]);
    assert.ok(!('UserInput' in components.schemas), 'no operation uses these schemas');
    assert.equal(paths['/v1/owners/{id}/cars'].post.summary, 'Create one of the cars of an owner');
    assert.equal(paths['/v1/users/{id}'].get.summary, 'Find a user by id');
  });

  it('omit a pattern whose flags a JSON Schema cannot express', async () => {
    const fields = { code: text({ pattern: /^[a-z]{2}$/i }), sign: text({ pattern: /^[A-Z]{2}$/u }) };
    const signs = defineResource({ name: 'signs', fields, access: { read: 'auth:api', write: 'auth:api' } });
    const other = await start([signs]);
    const { rows } = await other.request('GET', '/v1/resources', { token: 'alice' });
    const described = rows.find(({ name }) => name === 'signs') as { fields?: Record<string, { pattern?: string }> };
    assert.deepEqual([described.fields?.code?.pattern, described.fields?.sign?.pattern], [undefined, '^[A-Z]{2}$']);
    const { text: document } = await other.request('GET', '/openapi.json', { token: null });
    const { properties } = JSON.parse(document).components.schemas.SignInput;
    assert.deepEqual([properties.code.pattern, properties.sign.pattern], [undefined, '^[A-Z]{2}$']);
    assert.equal((await other.request('POST', '/v1/signs', { json: { code: 'Ab' } })).status, 201);
  });

  it('give each schema its own name', async () => {
    const named = (name: string, singular?: string) =>
      defineResource({
        name,
        ...(singular ? { singular } : {}),
        fields: { [`of_${name.replace('-', '_')}`]: text() },
        access: { read: 'public', write: 'auth:api' },
      });
    const names = ['books', 'book-reads', 'car-partials', 'cars'];
    const own = await start([...names.map((name) => named(name)), named('lists', 'resource descriptions')]);
    const { text: source } = await own.request('GET', '/openapi.json', { token: null });
    assert.deepEqual(await openApiProblems(source), []);
    const { paths, components } = JSON.parse(source);
    const schemaAt = (path: string) =>
      paths[path].get.responses[200].content['application/json'].schema.$ref.split('/').at(-1);
    assert.deepEqual(
      [...names, 'lists'].map((name) => schemaAt(`/v1/${name}/{id}`)),
      ['BookRead', 'BookReadsRead', 'CarPartialRead', 'CarsRead', 'ListsRead'],
    );
    assert.ok('of_book_reads' in components.schemas.BookReads.properties);
    assert.ok('of_cars' in components.schemas.CarsPartial.properties);
    assert.ok(!('properties' in components.schemas.BookRead.properties.data));
    assert.equal(schemaAt('/v1/resources'), 'ResourceDescriptions');
  });
});
