import type { InstanceRow } from './instance-table.ts';
import { confirmationTimeout } from './lease.ts';

/** Finds instances that no longer renew their row: crashed, stopped or disconnected. Nobody has to wait for them. */
export class SilentInstances {
  #seen = new Map<string, { readonly renewals: number; readonly since: number }>();

  /** `at`: the monotonic time at which the rows were read. Returns the rows that have not changed for long enough. */
  find(rows: readonly InstanceRow[], at: number): InstanceRow[] {
    const before = this.#seen;
    this.#seen = new Map(
      rows.map(({ id, renewals }) => {
        const known = before.get(id);
        return [id, known?.renewals === renewals ? known : { renewals, since: at }];
      }),
    );
    return rows.filter(({ id }) => at - (this.#seen.get(id)?.since ?? at) >= confirmationTimeout);
  }
}
