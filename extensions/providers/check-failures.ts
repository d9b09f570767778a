import type { Db } from '../../src/database/database.ts';
import { type Finding, notice } from '../../src/main/finding.ts';
import { type FailureCode, failureMeanings } from './client/failure-meanings.ts';
import { findProviders } from './sign-in/provider-store.ts';

/** Identity providers whose last sign-in failed. */
export async function checkProviderFailures(db: Db): Promise<Finding[]> {
  const rows = await findProviders(db);
  return rows.flatMap(({ id: name, last_success_at, last_failure_at, failure, failure_detail }) => {
    // In one sign-in, a failure can follow the success in the same millisecond.
    if (last_failure_at === null || (last_success_at ?? 0) > last_failure_at) return [];
    const meaning = failureMeanings[(failure ?? 'other') as FailureCode];
    const values = { name, at: new Date(last_failure_at).toISOString(), why: failure_detail ?? '' };
    return [notice('providers', 'the last sign-in with {name}, at {at}, failed: {why}', meaning, values)];
  });
}
