import type { Engine } from '../../database/database.ts';
import { exactSum } from '../../database/sqlite/exact-sum.ts';
import type { ResourceField } from '../model/resource.ts';
import type { Aggregate, AggregateQuery } from '../query/aggregate-query.ts';
import { quoted } from '../sql/sql-text.ts';

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

export function aggregateSql(engine: Engine, { aggregates, groupBy, order }: AggregateQuery) {
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
