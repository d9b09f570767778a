import type { InstanceRow } from './instance-table.ts';
import { leaseSurelyOver } from './lease.ts';

/** Finds rows of instances that no longer renew: crashed, stopped or cut off. Nobody needs to wait for them any more. */
export class SilentInstances {
  #seen = new Map<string, { readonly renewals: number; readonly since: number }>();

  /** `at`, by the monotonic clock: when the rows had been read. Returns those that have been the same for long enough. */
  find(rows: readonly InstanceRow[], at: number): InstanceRow[] {
    const before = this.#seen;
    this.#seen = new Map(
      rows.map(({ id, renewals }) => {
        const known = before.get(id);
        return [id, known?.renewals === renewals ? known : { renewals, since: at }];
      }),
    );
    return rows.filter(({ id }) => at - (this.#seen.get(id)?.since ?? at) >= leaseSurelyOver);
  }
}
