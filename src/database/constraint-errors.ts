/** The columns of a violated unique constraint. Undefined for any other error. */
export function violatedUniqueColumns(error: unknown): string[] | undefined {
  const { code, errcode, message, detail } = error as {
    code?: string;
    errcode?: number;
    message?: string;
    detail?: string;
  };
  // SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY
  if (errcode === 2067 || errcode === 1555) {
    const columns = /constraint failed: (.+)$/.exec(message ?? '')?.[1] ?? '';
    // For an index over an expression, SQLite names only the index: `index 'users_email_folded'`.
    const folded = /^index '\w+?_(\w+)_folded'$/.exec(columns)?.[1];
    if (folded) return [folded];
    return columns.split(', ').map((column) => column.split('.').at(-1) as string);
  }
  if (code === '23505') {
    const columns = (/^Key \((.+?)\)=/.exec(detail ?? '')?.[1] ?? '').split(', ');
    return columns.map((column) => /^lower\((\w+)\)$/.exec(column)?.[1] ?? column);
  }
  return undefined;
}

export function isForeignKeyViolation(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number };
  return errcode === 787 || code === '23503';
}
