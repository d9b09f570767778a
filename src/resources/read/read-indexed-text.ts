import type { Database } from '../../database/database.ts';
import type { Resource } from '../model/resource.ts';
import { orderSql } from '../query/sorting.ts';
import type { StoredRow } from '../sql/executor.ts';
import { type Fragment, raw } from '../sql/sql-text.ts';
import type { CompiledList, IndexedText } from './compile-list-query.ts';

/**
 * The first rows with a text, ordered by id. One statement handles the texts of all searches of one turn of the event loop. It reads only
 * rows that it returns: with `between` and this order, PostgreSQL uses the index, whatever its statistics say about a text. The limit is
 * part of the SQL, so that PostgreSQL keeps the plan.
 */
export function readIndexedText(
  readKeyed: NonNullable<Database['readKeyed']>,
  { table }: Resource,
  { shape, sort: { idDescending } }: CompiledList,
  { field, text }: IndexedText,
  { extra, limit }: { extra: Fragment; limit: number },
): Promise<StoredRow[]> {
  const expression = field.comparisonSql('t');
  const keys = [{ expression: raw(expression), descending: idDescending, nullable: field.nullable }];
  const order = orderSql({ keys, idDescending }, 'postgres');
  return readKeyed<StoredRow>(
    `select wanted."_key", found.* from unnest(array(select unnest($1::text[]))) as wanted ("_key")
    cross join lateral (
      select ${shape.columns}${extra.strings[0]} from ${table} as t where ${expression} between wanted."_key" and wanted."_key"
      order by ${order.strings[0]} limit ${limit}
    ) as found`,
    text,
    '_key',
  );
}
