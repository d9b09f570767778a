import type { Engine } from '../../src/database/database.ts';

/** The number of rows of each kind. An owner has ten cars, and every user has the administrator's password. */
export interface Rows {
  readonly cars?: number;
  readonly users?: number;
  readonly sessions?: number;
}

const idPrefix = '0190a5d4-0000-7000-8000-';
const made = 1_700_000_000_000;
export const idOf = (n: number): string => idPrefix + n.toString(16).padStart(12, '0');
export const plateOf = (n: number): string => `GH ${n}`;
export const emailOf = (n: number): string => `user${n}@example.com`;
/** More users than concurrent sign-ins: a single user would wait for their own previous sign-in. */
export const fewestUsers = 100;

/** Statements that insert rows directly into the tables, as if they had been created one by one. */
export function seedStatements(engine: Engine, { cars = 0, users = fewestUsers, sessions = 0 }: Rows): string[] {
  const hex = (n: string) => (engine === 'sqlite' ? `printf('%012x', ${n})` : `lpad(to_hex(${n}::bigint), 12, '0')`);
  const text = (n: string) => (engine === 'sqlite' ? `cast(${n} as text)` : `${n}::text`);
  const id = (n: string) => `'${idPrefix}' || ${hex(n)}`;
  const statements: string[] = [];
  const insert = (table: string, columns: string, values: string, count: number) => {
    if (count === 0) return;
    statements.push(
      `insert into ${table} (${columns}) with recursive numbers(i) as (select 0 union all select i + 1 from numbers where i < ${count - 1}) select ${values} from numbers`,
    );
  };
  insert(
    'owners',
    'id, name, name_folded, created_at, updated_at, version',
    `${id('i')}, 'Owner ' || ${text('i')}, 'owner ' || ${text('i')}, ${made} + i, ${made} + i, 1`,
    Math.ceil(cars / 10),
  );
  insert(
    'cars',
    'id, plate, plate_folded, color, color_folded, seats, owner_id, created_at, updated_at, version',
    `${id('i')}, 'GH ' || ${text('i')}, 'gh ' || ${text('i')}, 'Green', 'green', 4, ${id('i / 10')}, ${made} + i, ${made} + i, 1`,
    cars,
  );
  insert(
    'users',
    'id, email, name, password_hash, email_confirmed, created_at, updated_at',
    `${id('i')}, 'user' || ${text('i')} || '@example.com', 'User ' || ${text('i')}, (select password_hash from users limit 1), 1, ${made} + i, ${made} + i`,
    users,
  );
  const expiry = `${Date.now() + 30 * 86_400_000} + i`;
  insert(
    'sessions',
    'id, type, user_id, scopes, created_at, expires_at, prune_at',
    `${id('i')}, 'session', ${id('i')}, '["*"]', ${Date.now()}, ${expiry}, ${expiry}`,
    sessions,
  );
  if (engine === 'postgres') statements.push('analyze');
  return statements;
}
