import { codeOf, reasonOf } from '../platform/errors.ts';
import { errcodeOf } from './sqlite/sqlite-errors.ts';

export function violatedUniqueColumns(error: unknown): string[] | undefined {
  const errcode = errcodeOf(error);
  // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
  if (errcode === 2067 || errcode === 1555) {
    const columns = /constraint failed: (.+)$/.exec(reasonOf(error))?.[1] ?? '';
    // For an index over an expression, SQLite names only the index: `index 'users_email_folded'`.
    const folded = /^index '\w+?_(\w+)_folded'$/.exec(columns)?.[1];
    if (folded) return [folded];
    return columns.split(', ').map((column) => column.replace(/.*\./, ''));
  }
  if (codeOf(error) === '23505') {
    const detail = error instanceof Error && 'detail' in error ? String(error.detail) : '';
    const columns = (/^Key \((.+?)\)=/.exec(detail)?.[1] ?? '').split(', ');
    return columns.map((column) => /^lower\((\w+)\)$/.exec(column)?.[1] ?? column);
  }
  return undefined;
}

export const isForeignKeyViolation = (error: unknown): boolean => errcodeOf(error) === 787 || codeOf(error) === '23503';
