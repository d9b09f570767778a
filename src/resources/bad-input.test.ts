import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onBothEngines } from '../../test/harness/engines.ts';
import { garage } from '../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../test/harness/resource-service.ts';

onBothEngines('Bad input', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  let owner: string;
  before(async () => {
    service = await start(garage);
    owner = (await service.request('POST', '/v1/owners', { json: { name: 'Ada' } })).row.id;
    await service.request('POST', '/v1/cars', { json: { plate: 'A1', model: 'Model', owner_id: owner, color: 'red' } });
  });

  describe('in a query is refused with 400, the name of the parameter and the allowed values', () => {
    const cases: [query: string, says: RegExp][] = [
      ['serch=plate:x', /"serch".*Did you mean "search"\?.*Allowed: search, searchJoin/],
      ['search=plat:x', /"plat".*Did you mean "plate"\?.*Allowed: id, plate, model/],
      ['search=pin:x', /"pin".*Allowed/],
      ['search=extras:x', /"extras"/],
      ['search=plate', /field:value/],
      ['search=__proto__:x', /"__proto__"/],
      ['search=seats:many', /seats takes a whole number, not "many"/],
      ['search=seats:1.5', /seats takes a whole number/],
      ['search=seats:99999999999999999999', /seats takes a whole number/],
      ['search=seats:', /seats takes a whole number/],
      ['search=seats:1*', /no wildcard/],
      ['search=seats:>1,2', /one value/],
      ['search=seats:>null', /plain value/],
      ['search=weight:1e999', /weight takes a number/],
      ['search=electric:maybe', /true or false/],
      ['search=electric:>true', /not possible/],
      ['search=built:2026-02-30', /YYYY-MM-DD/],
      ['search=serviced_at:yesterday', /takes a time/],
      ['search=color:purple', /"purple".*Allowed: red, Green, blue/],
      ['search=color:>red', /not possible/],
      ['search=id:7', /UUID/],
      ['search=tags:a*', /no wildcard/],
      [`search=seats:${'1,'.repeat(100)}1`, /more than 100 values/],
      [`search=${'seats:1;'.repeat(21)}`, /at most 20 pairs/],
      ['search=plate|colour:x', /"colour"/],
      ['search=|plate:x', /field/],
      [`search=${'plate|'.repeat(20)}plate:x`, /at most 20 pairs/],
      ['searchJoin=xor', /"xor".*Allowed: and, or/],
      ['searchFields=plate:regexp', /"regexp".*Allowed: =, like, in/],
      ['searchFields=pin:like', /"pin"/],
      ['orderBy=extras', /"extras".*Allowed: id, plate/],
      ['orderBy=plate;plate', /twice/],
      ['orderBy=plate&sortedBy=up', /"up".*Allowed: asc, desc/],
      ['orderBy=plate&sortedBy=asc;desc', /2 directions for 1 fields/],
      ['filter=pin', /"pin".*Allowed: id, plate/],
      ['filter=;', /name the fields/],
      ['include=wheels', /"wheels".*Allowed: owner, drivers, assignments/],
      ['include=owner.cars.owner', /3 levels deep; at most 2 are allowed/],
      ['include=owner.wheels', /relation of owners "wheels"/],
      ['page=0', /from 1/],
      ['page=two', /whole number/],
      ['limit=101', /from 1 to 100/],
      ['limit=-1', /from 1 to 100/],
      ['count=all', /"all".*Allowed: exact, none/],
      ['cursor=&page=2', /no page/],
      ['cursor=&count=exact', /no count/],
      ['cursor=abc', /cursor/],
      ['cursor=WyJhIl0.abc', /cursor/],
      ['cursor=a.b.c', /cursor/],
      ['limit=1&limit=2', /more than once/],
    ];
    for (const [query, says] of cases) {
      it(query.slice(0, 50), async () => {
        const response = await service.request('GET', `/v1/cars?${query}`);
        assert.equal(response.status, 400, response.text);
        assert.match(response.problem.detail, says);
      });
    }
  });

  it('accepts a cursor only for the same list and order', async () => {
    await service.request('POST', '/v1/cars', { json: { plate: 'A2', owner_id: owner } });
    const page = await service.request('GET', '/v1/cars?cursor=&limit=1&orderBy=plate');
    const cursor = encodeURIComponent(String(page.pagination.next_cursor));
    assert.equal((await service.request('GET', `/v1/cars?cursor=${cursor}&orderBy=plate`)).status, 200);
    for (const other of ['cars?orderBy=plate&sortedBy=desc&', 'cars?', 'cars?orderBy=seats&', 'owners?orderBy=name&']) {
      const refused = await service.request('GET', `/v1/${other}cursor=${cursor}`);
      assert.equal(refused.status, 400, other);
    }
    const [data = '', mac] = String(page.pagination.next_cursor).split('.');
    const forged = Buffer.from(JSON.stringify(["' or 1=1 --", 'x'])).toString('base64url');
    for (const cursor of [`${forged}.${mac}`, `${data}.${mac}x`, data]) {
      assert.equal((await service.request('GET', `/v1/cars?orderBy=plate&cursor=${cursor}`)).status, 400);
    }
  });

  describe('in a body is refused with 422 and one entry for each field', () => {
    const good = { plate: 'B1' };
    const cases: [name: string, values: object, errors: [field: string, code: string][]][] = [
      [
        'nothing',
        { plate: undefined, owner_id: undefined },
        [
          ['plate', 'required'],
          ['owner_id', 'required'],
        ],
      ],
      ['an unknown field', { plat: 'x' }, [['plat', 'unknown']]],
      ['a hidden name', { version: 7 }, [['version', 'unknown']]],
      [
        'read-only fields',
        { id: 'x', inspected: true, label: 'x', created_at: 'x' },
        [
          ['id', 'read_only'],
          ['inspected', 'read_only'],
          ['label', 'read_only'],
          ['created_at', 'read_only'],
        ],
      ],
      [
        'a value that is not text',
        { plate: 7, model: {} },
        [
          ['plate', 'type'],
          ['model', 'type'],
        ],
      ],
      ['an empty text', { plate: '' }, [['plate', 'minLength']]],
      ['a long text', { plate: 'x'.repeat(13) }, [['plate', 'maxLength']]],
      [
        'null for a required field',
        { plate: null, seats: null },
        [
          ['plate', 'required'],
          ['seats', 'required'],
        ],
      ],
      ['an integer', { seats: 1.5 }, [['seats', 'type']]],
      ['an integer as text', { seats: '4' }, [['seats', 'type']]],
      [
        'below',
        { seats: 0, weight: -1 },
        [
          ['seats', 'minimum'],
          ['weight', 'minimum'],
        ],
      ],
      ['above', { seats: 61 }, [['seats', 'maximum']]],
      ['a flag', { electric: 1 }, [['electric', 'type']]],
      ['a day', { built: '2026-02-29' }, [['built', 'format']]],
      ['a moment', { serviced_at: '2026-01-01 nine' }, [['serviced_at', 'format']]],
      ['a leap second', { serviced_at: '2026-01-01T23:59:60Z' }, [['serviced_at', 'format']]],
      ['an enum', { color: 'green' }, [['color', 'enum']]],
      ['a list', { tags: 'a' }, [['tags', 'type']]],
      ['a list of another type', { tags: [1] }, [['tags', 'type']]],
      ['a list with duplicates', { tags: ['a', 'a'] }, [['tags', 'uniqueItems']]],
      ['a UUID', { chassis: 'x' }, [['chassis', 'format']]],
      ['deep JSON', { extras: JSON.parse('['.repeat(40) + ']'.repeat(40)) }, [['extras', 'maxDepth']]],
      ['large JSON', { extras: 'x'.repeat(70_000) }, [['extras', 'maxLength']]],
      [
        'a reference to a missing row',
        { owner_id: '0199d0a0-7c00-7000-8000-000000000001' },
        [['owner_id', 'not_found']],
      ],
      ['an invalid reference', { owner_id: "' or 1=1" }, [['owner_id', 'format']]],
      ['what is taken', { plate: 'A1' }, [['plate', 'taken']]],
    ];
    for (const [name, values, errors] of cases) {
      it(name, async () => {
        const response = await service.request('POST', '/v1/cars', { json: { ...good, owner_id: owner, ...values } });
        assert.equal(response.status, 422, response.text);
        assert.deepEqual(response.problem.errors.map(({ field, code }) => [field, code]).sort(), [...errors].sort());
        for (const { field, message } of response.problem.errors) assert.ok(message.includes(field), message);
      });
    }
  });

  it('refuses a number that is too large, and does not store null instead', async () => {
    const body = `{"plate":"B9","model":"Model","owner_id":"${owner}","extras":{"a":[1e400]}}`;
    const sent = { form: body, headers: { 'content-type': 'application/json' } };
    const { status, problem } = await service.request('POST', '/v1/cars', sent);
    assert.deepEqual([status, problem.errors.map(({ field, code }) => [field, code])], [422, [['extras', 'type']]]);
  });

  it('names the bound and the allowed values for programs', async () => {
    const { problem } = await service.request('POST', '/v1/cars', { json: { plate: 'B2', seats: 61, color: 'green' } });
    const [seats, color] = ['seats', 'color'].map((name) => problem.errors.find(({ field }) => field === name));
    assert.equal(seats?.limit, 60);
    assert.ok(color?.values?.includes('red'), JSON.stringify(color));
  });

  it('refuses deeper paths, wrong ids and unknown parameters of single rows', async () => {
    const { id } = (await service.request('GET', '/v1/cars?limit=1')).rows[0] as { id: string };
    assert.equal((await service.request('GET', `/v1/cars/${id}/drivers/${id}`)).status, 404);
    for (const wrong of ['7', "'", id.toUpperCase(), `${id}0`, '0199d0a0-7c00-7000-8000-000000000001']) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const response = await service.request(method, `/v1/cars/${wrong}`, method === 'PATCH' ? { json: {} } : {});
        assert.equal(response.status, 404, `${method} ${wrong} ${response.text}`);
      }
    }
    assert.equal((await service.request('GET', `/v1/cars/${id}?page=1`)).status, 400);
    assert.equal((await service.request('PATCH', `/v1/cars/${id}?include=owner`, { json: {} })).status, 400);
    assert.equal((await service.request('DELETE', `/v1/cars/${id}?force=1`)).status, 400);
  });

  it('treats every search text as data', async () => {
    const values = [
      ...["'", "''", '"', "' or 1=1 --", '%', '_', '\\', '\\\\', '🚗', '\u202e', '\ud7ff', 'x'.repeat(10_000)],
      ...['$1', '?', ':name', 'select * from users', '*', '**', ';', ',', '>', '!=', 'null', '(', ')'],
    ];
    for (const value of values) {
      for (const form of [
        value,
        `*${value}`,
        `${value}*`,
        `*${value}*`,
        `>${value}`,
        `<=${value}`,
        `!=${value}`,
        `a,${value}`,
      ]) {
        const search = encodeURIComponent(`model:${form}`);
        const response = await service.request('GET', `/v1/cars?search=${search}`);
        const fine =
          response.status === 200 || (response.status === 400 && response.problem.code === 'parameter_invalid');
        assert.ok(fine, `${form.slice(0, 40)}: ${response.status} ${response.text}`);
      }
      const literal = encodeURIComponent(value.replace(/[;\\]/g, '\\$&'));
      const response = await service.request('GET', `/v1/cars?search=model:${literal}&searchFields=model:=`);
      assert.equal(response.status, 200, `${value.slice(0, 40)} ${response.text}`);
      assert.equal(response.rows.length, 0, value);
    }
    assert.equal((await service.request('GET', '/v1/cars?search=model:Model')).rows.length, 1);
  });
});
