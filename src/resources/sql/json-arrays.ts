import type { Engine } from '../../database/database.ts';
import { type Fragment, raw, sql } from './sql-text.ts';

export const jsonArrayContains = (engine: Engine, column: string, value: Fragment): Fragment =>
  engine === 'sqlite'
    ? sql`exists (select 1 from json_each(${raw(column)}) as item where item.value = ${value})`
    : sql`exists (select 1 from jsonb_array_elements_text(${raw(column)}::jsonb) as item(value) where item.value = ${value})`;

export const inJsonArray = (engine: Engine, value: Fragment, items: Fragment): Fragment =>
  engine === 'sqlite'
    ? sql`${value} in (select item.value from json_each(${items}) as item)`
    : sql`${value} in (select jsonb_array_elements_text(${items}::jsonb))`;
