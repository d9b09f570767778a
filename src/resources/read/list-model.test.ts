import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { type ResourceService, type Row, resourceServices } from '../../../test/harness/resource-service.ts';

// A plain model of the list conventions over rows in memory, written only from the documentation.

const texts = [
  ...[
    'a',
    'A',
    'ab',
    'ABC',
    'b;c',
    'x,y',
    'a*',
    '*',
    '**',
    '%',
    '_',
    '\\',
    'a\\',
    '\\*',
    "'",
    '"',
    '--',
    'a:b',
    ' ',
    'z z',
  ],
  ...['É', 'e\u0301', 'é', 'ΟΔΟΣ', 'οδος', 'ΟΔ', 'İ', '🚗', '🚗🚙', '\ud7ff', '\ue000', '\u{10ffff}', 'null?', 'Null'],
];
const fold = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
const colors = ['red', 'Green', 'blue'];
const days = ['0001-01-01', '1999-12-31', '2024-02-29', '2026-01-01', '9999-12-31'];
const timestamps = ['1969-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'];
const numbers = [0, 1, 1.5, 0.1, 1e21, 123456.789];

const or = <T>(...values: T[]) => fc.constantFrom(...values);
const nullable = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: null, freq: 4 });

const rows = fc.record({
  model: nullable(texts),
  seats: fc.integer({ min: 1, max: 5 }),
  weight: nullable(numbers),
  electric: fc.boolean(),
  built: nullable(days),
  serviced_at: nullable(timestamps),
  color: nullable(colors),
  tags: fc.option(fc.uniqueArray(fc.constantFrom('a', 'A', "b'", 'c;d'), { maxLength: 3 }), { nil: null, freq: 4 }),
});

type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=';
interface Alternative {
  value: string | null;
  start: boolean;
  end: boolean;
}
interface Pair {
  field: string;
  operator: Operator;
  alternatives: Alternative[];
}

const exact = (values: readonly unknown[]) =>
  fc.constantFrom(...values.map(String)).map((value) => ({ value, start: false, end: false }));
const none = fc.constant({ value: null, start: false, end: false });
// An unescaped operator or the word null has a meaning in `search`, so such texts need searchFields. Spaces after a separator are ignored,
// so no value begins with one.
const plainTexts = texts.filter((text) => !/^[<>=! ]/.test(text) && text !== 'null');
const textual = fc.record({ value: or(...plainTexts), start: fc.boolean(), end: fc.boolean() });
const some = (alternative: fc.Arbitrary<Alternative>) => fc.array(alternative, { minLength: 1, maxLength: 3 });
const pairOf = (field: string, alternative: fc.Arbitrary<Alternative>, compared?: fc.Arbitrary<Alternative>) =>
  fc.oneof(
    fc.record({ field: or(field), operator: or<Operator>('=', '!='), alternatives: some(alternative) }),
    ...(compared
      ? [
          fc.record({
            field: or(field),
            operator: or<Operator>('<', '<=', '>', '>='),
            alternatives: fc.tuple(compared),
          }),
        ]
      : []),
  );
const pairs: fc.Arbitrary<Pair> = fc.oneof(
  { arbitrary: pairOf('model', fc.oneof(textual, none), exact(plainTexts)), weight: 5 },
  pairOf('seats', exact([0, 1, 2, 3, 9]), exact([0, 2, 3, 9])),
  pairOf('weight', fc.oneof(exact(numbers), none), exact(numbers)),
  pairOf('electric', exact([true, false])),
  pairOf('built', fc.oneof(exact(days), none), exact(days)),
  pairOf('serviced_at', fc.oneof(exact(timestamps), none), exact([...timestamps, '2026-01-01'])),
  pairOf('color', fc.oneof(exact(['RED', 'green']), none)),
  pairOf('tags', fc.oneof(exact(['a', "b'", 'c;d', 'x']), none)),
);

const sortable = ['model', 'seats', 'weight', 'electric', 'built', 'serviced_at', 'color', 'plate', 'created_at', 'id'];
const queries = fc.record({
  pairs: fc.array(pairs, { maxLength: 3 }),
  join: or<'and' | 'or'>('and', 'or'),
  order: fc.uniqueArray(fc.record({ field: or(...sortable), down: fc.boolean() }), {
    maxLength: 3,
    selector: ({ field }) => field,
  }),
  filter: fc.option(fc.uniqueArray(or('id', 'plate', 'model', 'label', 'tags'), { minLength: 1 }), { nil: null }),
  limit: fc.integer({ min: 1, max: 30 }),
});
type Query = typeof queries extends fc.Arbitrary<infer T> ? T : never;

const escaped = (text: string) => text.replace(/[;,*\\]/g, '\\$&');
const written = ({ field, operator, alternatives }: Pair) =>
  `${field}:${operator === '=' ? '' : operator}${alternatives
    .map(({ value, start, end }) => (value === null ? 'null' : `${start ? '*' : ''}${escaped(value)}${end ? '*' : ''}`))
    .join(',')}`;

function address({ pairs: wanted, join, order, filter, limit }: Query): URLSearchParams {
  const parameters = new URLSearchParams({ limit: String(limit) });
  if (wanted.length > 0) parameters.set('search', wanted.map(written).join(';'));
  if (join === 'or') parameters.set('searchJoin', 'or');
  if (order.length > 0) {
    parameters.set('orderBy', order.map(({ field }) => field).join(';'));
    parameters.set('sortedBy', order.map(({ down }) => (down ? 'desc' : 'asc')).join(';'));
  }
  if (filter) parameters.set('filter', filter.join(';'));
  return parameters;
}

/** The compared value: folded text, a number, or text in its own order. */
const key = (field: string, value: unknown): string | number | null => {
  if (value === null || value === undefined) return null;
  if (field === 'model' || field === 'plate') return fold(String(value));
  if (field === 'serviced_at' || field === 'created_at') return Date.parse(String(value));
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value as string | number;
};
const readKey = (field: string, text: string): string | number | null => {
  if (field === 'electric') return text === 'true' ? 1 : 0;
  return key(field, field === 'seats' || field === 'weight' ? Number(text) : text);
};
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === 'number') return a - (b as number);
  return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
}

function matches(row: Row, field: string, { value, start, end }: Alternative): boolean {
  const held = row[field];
  if (value === null || held === null) return value === held;
  if (field === 'tags') return (held as string[]).includes(value);
  if (field === 'color') return String(held).toLowerCase() === value.toLowerCase();
  const own = key(field, held);
  if (!start && !end) return compare(own, readKey(field, value)) === 0;
  const [whole, part] = [String(own), fold(value)];
  if (start && end) return whole.includes(part);
  return start ? whole.endsWith(part) : whole.startsWith(part);
}

function holds(row: Row, { field, operator, alternatives }: Pair): boolean {
  if (operator === '=') return alternatives.some((each) => matches(row, field, each));
  if (operator === '!=') return !alternatives.some((each) => matches(row, field, each));
  const own = key(field, row[field]);
  if (own === null) return false;
  const order = compare(own, readKey(field, (alternatives[0] as Alternative).value as string));
  return { '<': order < 0, '<=': order <= 0, '>': order > 0, '>=': order >= 0 }[operator];
}

function expected(all: readonly Row[], { pairs: wanted, join, order, filter }: Query): Record<string, unknown>[] {
  const found = all.filter((row) =>
    wanted.length === 0
      ? true
      : join === 'or'
        ? wanted.some((pair) => holds(row, pair))
        : wanted.every((pair) => holds(row, pair)),
  );
  const down = order.at(-1)?.down ?? false;
  const ranks = [...order, { field: 'id', down }];
  found.sort((a, b) => {
    for (const { field, down: reversed } of ranks) {
      const sign = compare(key(field, a[field]), key(field, b[field]));
      if (sign !== 0) return reversed ? -sign : sign;
    }
    return 0;
  });
  return found.map((row) => (filter ? Object.fromEntries(filter.map((name) => [name, row[name]])) : row));
}

onBothEngines('Lists compared with a model', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  const all: Row[] = [];
  before(async () => {
    service = await start(garage);
    const owner = (await service.request('POST', '/v1/owners', { json: { name: 'Ada' } })).row;
    for (const [i, values] of fc.sample(rows, { numRuns: 60, seed: 7 }).entries()) {
      const made = await service.request('POST', '/v1/cars', {
        json: { ...values, plate: `p${i}`, owner_id: owner.id },
      });
      assert.equal(made.status, 201, made.text);
      all.push(made.row);
    }
  });

  const walk = async (path: string): Promise<Record<string, unknown>[]> => {
    const seen: Record<string, unknown>[] = [];
    for (let next: string | null = path; next !== null; ) {
      const page = await service.request('GET', next);
      assert.equal(page.status, 200, `${next} ${page.text}`);
      seen.push(...page.rows);
      next = page.pagination.links.next;
    }
    return seen;
  };

  it('find, sort, filter and page like the model', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const parameters = address(query);
        const wanted = expected(all, query);
        assert.deepEqual(await walk(`/v1/cars?${parameters}`), wanted);
        const first = await service.request('GET', `/v1/cars?${parameters}`);
        assert.equal(first.pagination.total, wanted.length);
      }),
      { numRuns: 120 },
    );
  });

  it('return the same rows in the same order by cursor', async () => {
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const parameters = address(query);
        parameters.set('cursor', '');
        assert.deepEqual(await walk(`/v1/cars?${parameters}`), expected(all, query));
      }),
      { numRuns: 120 },
    );
  });
});
