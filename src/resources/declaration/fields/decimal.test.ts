import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { checkDefinitions } from '../../../../extensions/declaration-checks/check-definitions.ts';
import { onBothEngines } from '../../../../test/harness/engines.ts';
import { garage } from '../../../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../../../test/harness/resource-service.ts';
import { formatDecimal, fromSortable, parseDecimal, sortableDecimal } from '../../../platform/decimal.ts';
import { compare } from '../access.ts';
import { defineResource } from '../define-resource.ts';
import { decimal } from './decimal.ts';

const prices = defineResource({
  name: 'prices',
  fields: {
    amount: decimal({ precision: 30, scale: 4, required: true, searchable: true, sortable: true }),
    discount: decimal({ precision: 5, scale: 2, min: 0, max: 99.5, default: '0' }),
    code: decimal({ precision: 10, scale: 0, unique: true }),
  },
  access: { read: (caller) => caller.roles.includes('admin') || compare('amount', '>', '-1'), write: 'auth:api' },
});

const text = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 12 }))
  .map(([negative, units, scale]) => formatDecimal({ units: negative ? -units : units, scale }));

const compareExactly = (a: string, b: string): number => {
  const [x, y] = [a, b].map((each) => {
    const { units, scale } = parseDecimal(each) ?? { units: 0n, scale: 0 };
    return units * 10n ** BigInt(50 - scale);
  }) as [bigint, bigint];
  return x < y ? -1 : x > y ? 1 : 0;
};
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const stored = (each: string): string => sortableDecimal(parseDecimal(each) ?? { units: 0n, scale: 0 });

describe('Stored decimals', () => {
  it('are read back exactly and sort like numbers', () => {
    fc.assert(fc.property(text, (one) => assert.equal(formatDecimal(fromSortable(stored(one))), one)));
    fc.assert(
      fc.property(text, text, (a, b) => assert.equal(compareTexts(stored(a), stored(b)), compareExactly(a, b))),
    );
  });

  it('are the same text for the same number', () => {
    for (const one of ['12.5', '12.50', '012.5', '+12.5']) assert.equal(stored(one), stored('12.5'));
    assert.equal(stored('-0.00'), stored('0'));
  });
});

describe('Declarations of decimals', () => {
  const mistakeOf = (options: object): string => {
    const field = decimal(options as { precision: number; scale: number });
    try {
      checkDefinitions([
        defineResource({ name: 'prices', fields: { amount: field }, access: { read: 'auth:api', write: 'auth:api' } }),
      ]);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('require a valid precision and scale', () => {
    assert.equal(mistakeOf({ precision: 10, scale: 2 }), '');
    assert.match(mistakeOf({}), /precision takes the number of digits/);
    assert.match(mistakeOf({ precision: 66, scale: 2 }), /from 1 to 65/);
    assert.match(mistakeOf({ precision: 4, scale: 5 }), /scale takes .* from 0 to the precision 4/);
    assert.match(mistakeOf({ precision: 4, scale: 1, min: 0.25 }), /min 0.25 must have at most 1 digits after/);
    assert.match(mistakeOf({ precision: 4, scale: 1, default: 1.5 }), /default: 1.5 must be a decimal as a string/);
  });
});

onBothEngines('Decimals', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const request: ResourceService['request'] = (...request) => service.request(...request);
  const make = (json: object) => request('POST', '/v1/prices', { json });

  before(async () => {
    service = await start([...garage, prices]);
  });

  it('are exact strings in JSON, with all digits of their scale', async () => {
    const created = await make({ amount: '12345678901234567890.1234', discount: '12.5' });
    assert.equal(created.status, 201, created.text);
    const { row } = await request('GET', `/v1/prices/${created.row.id}`);
    assert.deepEqual(
      { amount: row.amount, discount: row.discount, code: row.code },
      { amount: '12345678901234567890.1234', discount: '12.50', code: null },
    );
    const changed = await request('PATCH', `/v1/prices/${row.id}`, { json: { amount: '-0.1' } });
    assert.equal(changed.row.amount, '-0.1000');
    const form = await request('PATCH', `/v1/prices/${row.id}`, { form: { amount: '7' } });
    assert.equal(form.row.amount, '7.0000', form.text);
    await request('DELETE', `/v1/prices/${row.id}`);
  });

  it('refuse values that are not exact or do not fit', async () => {
    for (const [json, code] of [
      [{ amount: 1.5 }, 'type'],
      [{ amount: '1e3' }, 'type'],
      [{ amount: '1,5' }, 'type'],
      [{ amount: '' }, 'type'],
      [{ amount: '1.00001' }, 'scale'],
      [{ amount: '123456789012345678901234567' }, 'precision'],
      [{ amount: '1', discount: '-0.01' }, 'minimum'],
      [{ amount: '1', discount: '99.51' }, 'maximum'],
    ] as const) {
      const { status, problem, text: body } = await make(json);
      assert.equal(status, 422, body);
      assert.equal(problem.errors[0]?.code, code, body);
    }
  });

  it('are searched, sorted and paged as numbers, and unique regardless of trailing zeros', async () => {
    const amounts = ['-100', '-20.5', '-20.45', '-0.5', '0', '0.5', '2', '10', '10.01', '100000000000000000000'];
    for (const amount of [...amounts].reverse()) assert.equal((await make({ amount })).status, 201);
    const shown = async (query: string, token = 'admin') =>
      (await request('GET', `/v1/prices?limit=50&${query}`, { token })).rows.map(({ amount }) => Number(amount));
    assert.deepEqual(await shown('orderBy=amount'), amounts.map(Number));
    assert.deepEqual(
      await shown('orderBy=amount;id&search=amount:>=-20.45;amount:<10.005'),
      [-20.45, -0.5, 0, 0.5, 2, 10],
    );
    assert.deepEqual(await shown('search=amount:10.00,-0.50&orderBy=amount'), [-0.5, 10]);
    assert.deepEqual(
      await shown('orderBy=amount', 'alice'),
      amounts.map(Number).filter((amount) => amount > -1),
    );
    assert.equal((await request('GET', '/v1/prices?search=amount:ten')).status, 400);
    const walked: unknown[] = [];
    for (let cursor: string | null | undefined = ''; cursor !== null && cursor !== undefined; ) {
      const { rows, pagination } = await request(
        'GET',
        `/v1/prices?orderBy=amount&sortedBy=desc&limit=3&cursor=${cursor}`,
      );
      walked.push(...rows.map(({ amount }) => Number(amount)));
      cursor = pagination.next_cursor;
    }
    assert.deepEqual(walked, amounts.map(Number).reverse());
    assert.equal((await make({ amount: '1', code: '7' })).status, 201);
    assert.equal((await make({ amount: '1', code: '007.0' })).problem.errors[0]?.code, 'taken');
  });
});
