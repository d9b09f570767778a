import type { Pass, UserTable } from '../pass.ts';
import { socialColumns } from './social-sources.ts';
import { userColumns } from './user-record.ts';

/** Words of a lock, anywhere in the name of a column. */
const lockWord =
  /(^|_)(ban|banned|blocked|suspend|suspended|suspension|locked|lockout|frozen|blacklisted|deactivated|terminated|can_login)(_|$)/;
/** Words that mean something else in a longer name, such as marital_status. */
const lockName =
  /^(is_|account_|user_|login_)?(active|inactive|activated|enabled|disabled|approved|archived|deleted|closed|expired|expires|valid|status|state)(_at|_on|_until|_till)?$/;
/** Words of a second factor. The columns of Fortify are read. */
const factorWord = /(^|_)(two_?factor|2fa|mfa|otp|totp|google_?2?fa|authy|authenticator)(_|$)/;
const inSnakeCase = (column: string): string => column.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
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
    if (lockName.test(inSnakeCase(column)) || lockWord.test(inSnakeCase(column))) {
      const isAccepted = findings.decide(
        'lock-columns',
        'Columns that look like a lock were not looked at. Say who is disabled by --disable-where (such as --disable-where is_active=0 or --disable-where banned_at), or that a column means nothing by --ignore-column',
        `${name}.${column}`,
      );
      isUndecided ||= !isAccepted;
    } else if (factorWord.test(inSnakeCase(column))) {
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
