import type { Config } from '../../config/config.ts';
import type { Db } from '../../database/database.ts';
import { countUnprotectedAdministrators } from '../../identity/factors/factor-count-store.ts';
import { type Finding, notice, ok } from './finding.ts';

/** Administrators whose password alone opens everything. */
export async function lookAtFactors({ mfa }: Config, db: Db): Promise<Finding> {
  const count = await countUnprotectedAdministrators(db);
  if (count === 0) return ok('second factors', 'every administrator has one');
  return notice(
    'second factors',
    '{count, plural, one {# administrator has} other {# administrators have}} no second factor',
    mfa === 'optional' || mfa === 'off'
      ? 'Set MFA=admins: then administrators set one up when they next sign in.'
      : 'They are asked to set one up when they next sign in.',
    { count },
  );
}
