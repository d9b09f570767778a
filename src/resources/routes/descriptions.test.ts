import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { garage } from '../../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';

describe('Descriptions of resources', () => {
  const start = resourceServices('sqlite');
  let service: ResourceService;
  before(async () => {
    service = await start(garage);
  });

  it('tell front ends what there is', async () => {
    assert.equal((await service.ask('GET', '/v1/resources', { token: null })).status, 401);
    const { rows } = await service.ask('GET', '/v1/resources', { token: 'alice' });
    const cars = rows.find(({ name }) => name === 'cars') as Record<string, Record<string, Record<string, unknown>>>;
    assert.deepEqual(cars.scopes, { read: 'cars:read', write: 'cars:write' });
    assert.equal(cars.fields?.seats?.max, 60);
    assert.equal(cars.fields?.seats?.default, 4);
    assert.deepEqual(cars.fields?.color?.values, ['red', 'Green', 'blue']);
    assert.equal(cars.fields?.owner_id?.references, 'owners');
    assert.equal(cars.fields?.label?.readOnly, true);
    assert.deepEqual(cars.relations?.owner, { resource: 'owners', kind: 'belongsTo', by: 'owner_id' });
    const users = rows.find(({ name }) => name === 'users') as Record<string, Record<string, unknown>>;
    assert.ok(!('password_hash' in (users.fields ?? {})), 'hidden fields are hidden here too');
  });

  it('are a valid OpenAPI document with schemas and examples', async () => {
    const { text } = await service.ask('GET', '/openapi.json', { token: null });
    const config = await createConfig({ extends: ['spec'] });
    const problems = await lintFromString({ source: text, config });
    assert.deepEqual(
      problems.map(({ message, location }) => `${message} ${location[0]?.pointer}`),
      [],
    );
    const { paths } = JSON.parse(text);
    assert.deepEqual(Object.keys(paths['/v1/cars/{id}']).sort(), ['delete', 'get', 'patch', 'put']);
    const { schema } = paths['/v1/cars'].post.requestBody.content['application/json'];
    assert.deepEqual(schema.required, ['plate', 'owner_id']);
    assert.equal(schema.properties.seats.maximum, 60);
    assert.ok(!('label' in schema.properties) && !('id' in schema.properties));
    const shown = paths['/v1/cars/{id}'].get.responses['200'].content['application/json'].schema.properties.data;
    assert.ok('label' in shown.properties && !('pin' in shown.properties));
    assert.deepEqual(paths['/v1/cars'].get.security, [{ bearer: ['cars:read'] }]);
    assert.ok(paths['/v1/owners/{id}/cars'].post);
  });
});
