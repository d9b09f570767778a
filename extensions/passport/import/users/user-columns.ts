import type { Pass, UserTable } from '../pass.ts';
import { socialColumns } from './social-sources.ts';
import { userColumns } from './user-record.ts';

/** A column that looks as if it locks people out. */
const lock =
  /^(is_|account_|user_)?(active|inactive|activated|deactivated|enabled|disabled|approved|banned|blocked|suspended|locked|frozen|blacklisted|archived|status|state)(_at|_on|_until|_till)?$/i;
/** A column that looks like a second factor. Those of Fortify are read. */
const factor = /^(two_?factor|2fa|mfa|otp|totp|google2?fa)(_\w{1,50})?$/i;
const fortify = ['two_factor_secret', 'two_factor_confirmed_at', 'two_factor_recovery_codes'];
/** They hold nothing of a person. */
const ofLaravel = ['id', 'updated_at', 'remember_token'];

const ofSocialite = (columns: UserTable['columns']): readonly string[] =>
  socialColumns.find((pair) => pair.every((column) => columns.has(column))) ?? [];

/** Which columns of the table are read. */
export const columnsToRead = ({ disableWhere, map }: Pass['plan']): string[] => [
  ...userColumns,
  ...map.fields.keys(),
  ...disableWhere.map(({ column }) => column),
];

/**
 * Asks about columns that may lock people out or protect them, and lists once what is not imported. True where a column
 * that looks like a lock waits for a decision.
 */
export function lookAtUserColumns({ plan, findings }: Pass, { name, columns }: UserTable): boolean {
  let isUndecided = false;
  const read = new Set([...columnsToRead(plan), ...fortify, ...ofLaravel, ...ofSocialite(columns)]);
  const others = [...columns.keys()].filter((column) => !read.has(column));
  for (const column of others) {
    if (plan.ignoredColumns.has(column)) continue;
    if (lock.test(column)) {
      const isAccepted = findings.decide(
        'lock-columns',
        'Columns that look like a lock were not looked at. Say who is disabled by --disable-where (such as --disable-where is_active=0 or --disable-where banned_at), or that a column means nothing by --ignore-column',
        `${name}.${column}`,
      );
      isUndecided ||= !isAccepted;
    } else if (factor.test(column)) {
      findings.decide(
        'other-factors',
        'Columns that look like a second factor, and that only their application can read. Say that a column means nothing by --ignore-column',
        `${name}.${column}`,
      );
    }
  }
  if (others.length > 0) findings.note(`Columns of ${name} that are not imported: ${others.join(', ')}`);
  if (columns.has('two_factor_recovery_codes')) {
    findings.note(
      `Recovery codes of ${name} (two_factor_recovery_codes) are not imported: people make new ones in their settings`,
    );
  }
  return isUndecided;
}
