import { inSpan, tracing } from '../platform/tracing.ts';
import type { Database } from './database.ts';

const maxTextLength = 2000;

/** Traces a statement by its SQL text, which contains placeholders instead of values. */
export const statementSpan = <T>(system: 'sqlite' | 'postgresql', sql: string, work: () => T): T => {
  if (!tracing()) return work();
  const [operation = ''] = /^\s*\w+/.exec(sql) ?? [];
  const name = operation.trim().toUpperCase();
  const attributes = {
    'db.system.name': system,
    'db.operation.name': name,
    'db.query.text': sql.slice(0, maxTextLength),
  };
  return inSpan(name || 'SQL', { kind: 'client', attributes, onlyAsChild: true }, work);
};

export function traceSqlite(database: Database): Database {
  if (!tracing()) return database;
  return {
    ...database,
    read: (sql, parameters, reader) => statementSpan('sqlite', sql, () => database.read(sql, parameters, reader)),
    readFirst: (sql, parameters, reader) =>
      statementSpan('sqlite', sql, () => database.readFirst(sql, parameters, reader)),
    write: (sql, parameters) => statementSpan('sqlite', sql, () => database.write(sql, parameters)),
  };
}
