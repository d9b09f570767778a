import type { Engine } from '../../src/database/database.ts';
import { exactSum } from '../../src/database/sqlite/exact-sum.ts';
import { invalidParameter } from '../../src/http/errors/parameter-errors.ts';
import { type Decimal, formatDecimal, parseDecimal } from '../../src/platform/decimal.ts';
import { codeOf } from '../../src/platform/errors.ts';
import type { AggregateRows } from '../../src/resources/model/paging.ts';
import type { ResourceField } from '../../src/resources/model/resource.ts';
import type { QueryContext } from '../../src/resources/model/row-rules.ts';
import { listCondition } from '../../src/resources/read/list-rows.ts';
import { readUnprepared, type StoredRow } from '../../src/resources/sql/executor.ts';
import { quoted, raw, rowBudgetMark, sql } from '../../src/resources/sql/sql-text.ts';
import { type Aggregate, type AggregateQuery, readAggregates } from './aggregate-query.ts';

const columnOf = ({ column }: ResourceField): string => `t.${quoted(column)}`;

/** Converts the stored text of a decimal to a number (`platform/decimal.ts`), for PostgreSQL. */
const decimalNumber = (column: string): string =>
  `case when ${column} < '0' then -(translate(substr(${column}, 5, length(${column}) - 5), '0123456789', '9876543210')::numeric) else substr(${column}, 4)::numeric end`;

/** An exact sum: a number on PostgreSQL, a text on SQLite. Floating-point numbers are added without this. */
function sumOf(engine: Engine, field: ResourceField): string {
  const column = columnOf(field);
  if (field.type.name === 'number') return `sum(${column})`;
  if (engine === 'sqlite') return `${exactSum}(${column})`;
  return `sum(${field.type.name === 'decimal' ? decimalNumber(column) : column})`;
}

/** The columns of an aggregate: `_a0`. An average also has the number of its values, `_n0`. */
function aggregateColumns(engine: Engine, aggregate: Aggregate, i: number): string[] {
  if (aggregate.of === 'count') return [`count(*) as "_a${i}"`];
  const { of, field } = aggregate;
  const column = columnOf(field);
  if (of === 'min' || of === 'max') return [`${of}(${column}) as "_a${i}"`];
  const sum = sumOf(engine, field);
  const exact = engine === 'postgres' && field.type.name !== 'number' ? `${sum}::text` : sum;
  return [`${exact} as "_a${i}"`, ...(of === 'avg' ? [`count(${column}) as "_n${i}"`] : [])];
}

/** The sort expression of groups. On SQLite exact sums are texts; converted to numbers they sort correctly. */
function sortExpression(engine: Engine, sortBy: Aggregate | ResourceField): string {
  if (!('of' in sortBy)) return columnOf(sortBy);
  if (sortBy.of === 'count') return 'count(*)';
  if (sortBy.of === 'min' || sortBy.of === 'max') return `${sortBy.of}(${columnOf(sortBy.field)})`;
  const sum = sumOf(engine, sortBy.field);
  const number = engine === 'sqlite' ? `cast(${sum} as real)` : sum;
  return sortBy.of === 'sum' ? number : `${number} / nullif(count(${columnOf(sortBy.field)}), 0)`;
}

function aggregateSql(engine: Engine, { aggregates, groupBy, order }: AggregateQuery) {
  const groups = groupBy.map(columnOf);
  const columns = [
    ...groups.map((column, i) => `${column} as "_g${i}"`),
    ...aggregates.flatMap((aggregate, i) => aggregateColumns(engine, aggregate, i)),
    'count(*) over () as "_groups"',
  ];
  const sorted = order.map(({ sortBy, descending }) => {
    // Groups without a value come first, or last when descending, as in lists.
    const nulls = engine === 'postgres' ? (descending ? ' nulls last' : ' nulls first') : '';
    return `${sortExpression(engine, sortBy)}${descending ? ' desc' : ''}${nulls}`;
  });
  return {
    select: `select ${columns.join(', ')}`,
    groupAndOrder: [
      ...(groups.length === 0 ? [] : [`group by ${groups.join(', ')}`]),
      ...(sorted.length === 0 || groups.length === 0 ? [] : [`order by ${sorted.join(', ')}`]),
    ].join(' '),
    groups: groups.length === 0 ? undefined : groups.join(', '),
  };
}

/** An average of decimals has this many more digits after the point than its field. */
const extraAverageDigits = 4;

export const aggregateRows: AggregateRows = async (context, resource, list, paging) => {
  const { limit, page } = list;
  const query = readAggregates(resource, list.aggregates);
  const logPosition = resource.changes ? await paging.positions?.before() : undefined;
  const { select, groupAndOrder, groups } = aggregateSql(context.engine, query);
  const from = sql`from ${raw(resource.table)} as t where ${rowBudgetMark} ${listCondition(context, resource, list, paging)}`;
  const offset = (page - 1) * limit;
  const rows = await readNumbers(
    context,
    sql`${raw(select)} ${from} ${raw(groupAndOrder)} limit ${limit} offset ${offset}`,
  );
  // A page after the last one has no row with the number of groups.
  const isBeyondLastPage = rows.length === 0 && page > 1;
  const groupCountRows = isBeyondLastPage
    ? await readNumbers(
        context,
        sql`select count(*) as "_groups" from (select 1 as one ${from} ${raw(groups === undefined ? 'limit 1' : `group by ${groups}`)}) as g`,
      )
    : rows;
  const total = groups === undefined ? 1 : Number(groupCountRows[0]?._groups ?? 0);
  const links = {
    next: offset + rows.length < total && !isBeyondLastPage ? paging.linkTo({ page: String(page + 1) }) : null,
    previous: page > 1 ? paging.linkTo({ page: String(page - 1) }) : null,
  };
  paging.setLinks(links);
  const pagination = {
    ...{ total, count: rows.length, per_page: limit, current_page: page },
    ...{ total_pages: Math.max(1, Math.ceil(total / limit)), links },
  };
  const data = rows.map((row) => `{${groupJson(query, row)}}`).join(',');
  const { positions } = paging;
  const position =
    logPosition === undefined || !positions
      ? ''
      : `,"changes_position":${JSON.stringify(positions.write(logPosition, undefined))}`;
  return `{"data":[${data}],"meta":{"pagination":${JSON.stringify(pagination)}${position}}}`;
};

/** For sums that are too large for a number, PostgreSQL throws and SQLite returns infinity. */
async function readNumbers(context: QueryContext, statement: Parameters<typeof readUnprepared>[1]) {
  try {
    return await readUnprepared(context, statement);
  } catch (error) {
    if (codeOf(error) === '22003') throw tooLarge();
    throw error;
  }
}

const tooLarge = () => invalidParameter('aggregate: a sum is too large for a number. Narrow the rows down by search.');

function groupJson({ aggregates, groupBy }: AggregateQuery, row: StoredRow): string {
  const members = groupBy.map(({ name, type }, i) => {
    const stored = row[`_g${i}`];
    return `${JSON.stringify(name)}:${stored === null ? 'null' : type.toJson(stored)}`;
  });
  const byFunction = new Map<string, string[]>();
  for (const [i, aggregate] of aggregates.entries()) {
    if (aggregate.of === 'count') members.push(`"count":${row[`_a${i}`]}`);
    else {
      const values = byFunction.get(aggregate.of) ?? [];
      values.push(`${JSON.stringify(aggregate.field.name)}:${valueJson(aggregate, row[`_a${i}`], row[`_n${i}`])}`);
      byFunction.set(aggregate.of, values);
    }
  }
  for (const [name, values] of byFunction) members.push(`"${name}":{${values.join(',')}}`);
  return members.join(',');
}

function valueJson({ of, field }: Exclude<Aggregate, { of: 'count' }>, value: unknown, count: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (of === 'min' || of === 'max') return field.type.toJson(value);
  if (field.type.name === 'decimal') return `"${decimalText(of, field, String(value), Number(count))}"`;
  const number = of === 'avg' ? Number(value) / Number(count) : value;
  if (!Number.isFinite(Number(number))) throw tooLarge();
  // A sum of integers keeps all its digits.
  return String(typeof number === 'number' ? number + 0 : number);
}

function decimalText(of: 'sum' | 'avg', { options: { scale = 0 } }: ResourceField, text: string, count: number) {
  const sum = parseDecimal(text) ?? { units: 0n, scale: 0 };
  return of === 'sum'
    ? formatDecimal(sum, scale)
    : formatDecimal(divideDecimal(sum, BigInt(count), scale + extraAverageDigits), scale);
}

/** Rounds to this many digits after the point. A half is rounded away from zero. */
function divideDecimal(value: Decimal, divisor: bigint, scale: number): Decimal {
  const negative = value.units < 0n;
  const dividend = (negative ? -value.units : value.units) * 10n ** BigInt(scale);
  const scaledDivisor = divisor * 10n ** BigInt(value.scale);
  const units = (2n * dividend + scaledDivisor) / (2n * scaledDivisor);
  return { units: negative ? -units : units, scale };
}
