import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../../test/harness/code-points.ts';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';
import { defineResource } from '../declaration/define-resource.ts';
import { boolean, date, integer, json, list, number, oneOf, text, timestamp, uuid } from '../declare.ts';

const samples = defineResource({
  name: 'samples',
  fields: {
    words: text({ min: 0, max: 400, searchable: true, sortable: true }),
    essay: text({ min: 0, max: 20_000 }),
    whole: integer({ sortable: true }),
    real: number({ sortable: true }),
    flag: boolean(),
    day: date(),
    moment: timestamp(),
    choice: oneOf(['a', "b'", 'c"']),
    any: json(),
    items: list(),
    key: uuid(),
  },
  access: { read: 'auth:api', write: 'auth:api' },
});

const words = (maxLength: number, minLength = 0) =>
  fc
    .string({ unit: codePoint, minLength, maxLength })
    .map((value) => value.replaceAll('\0', '0'))
    .filter((value) => value.isWellFormed());
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 8 });
// JSON has no negative zero.
const reals = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const timestamps = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});
const values = fc.record({
  // A search cannot contain leading spaces, because spaces after a separator are ignored.
  words: orNull(words(50).map((value) => value.replace(/^ +/, ''))),
  essay: orNull(fc.oneof(words(50), fc.constant('🚗'.repeat(10_000)))),
  whole: orNull(fc.maxSafeInteger().map((value) => value + 0)),
  real: orNull(reals),
  flag: orNull(fc.boolean()),
  day: orNull(timestamps.map((value) => value.toISOString().slice(0, 10))),
  moment: orNull(timestamps.map((value) => value.toISOString())),
  choice: orNull(fc.constantFrom('a', "b'", 'c"')),
  any: orNull(
    fc.oneof(
      fc.array(reals),
      fc.dictionary(
        words(5, 1).filter((name) => !name.startsWith('__')),
        words(5),
      ),
    ),
  ),
  items: orNull(fc.uniqueArray(words(20, 1), { maxLength: 5 })),
  key: orNull(fc.uuid({ version: 7 })),
});

onBothEngines('Values', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  before(async () => {
    service = await start([samples]);
  });

  it('are returned as they were sent by POST, PUT and PATCH, and are found by a search', async () => {
    await fc.assert(
      fc.asyncProperty(values, values, async (first, second) => {
        const made = await service.request('POST', '/v1/samples', { json: first });
        assert.equal(made.status, 201, made.text);
        const path = `/v1/samples/${made.row.id}`;
        const wanted = (sent: object) => ({ ...made.row, ...JSON.parse(JSON.stringify(sent)) });
        assert.deepEqual((await service.request('GET', path)).row, wanted(first));
        for (const method of ['PUT', 'PATCH']) {
          const sent = method === 'PUT' ? second : first;
          const { row, text: body, status } = await service.request(method, path, { json: sent });
          assert.equal(status, 200, body);
          assert.deepEqual({ ...row, updated_at: made.row.updated_at }, wanted(sent));
        }
        if (first.words !== null) {
          const search = encodeURIComponent(`words:${first.words.replace(/[;\\]/g, '\\$&')};id:${made.row.id}`);
          const found = await service.request('GET', `/v1/samples?searchFields=words:=&search=${search}`);
          assert.equal(found.rows.length, 1, found.text);
        }
      }),
      { numRuns: 60 },
    );
  });
});
