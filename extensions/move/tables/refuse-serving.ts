import { sql } from 'kysely';
import type { Database } from '../../../src/database/database.ts';
import { type InstanceRow, listInstances } from '../../../src/database/postgres/invalidations/instance-table.ts';
import { leaseSurelyOver } from '../../../src/database/postgres/invalidations/lease.ts';
import { OperatorError } from '../../../src/platform/errors.ts';

/** Refuses a PostgreSQL that an instance uses. One that crashed has left its row, which nobody renews. */
export async function refuseServing({ db }: Database): Promise<void> {
  const list = async () => (await sql.raw<InstanceRow>(listInstances).execute(db)).rows;
  const before = new Map((await list()).map(({ id, renewals }) => [id, Number(renewals)]));
  if (before.size === 0) return;
  await new Promise((resolve) => setTimeout(resolve, leaseSurelyOver));
  const serving = (await list()).filter(({ id, renewals }) => before.get(id) !== Number(renewals));
  if (serving.length === 0) return;
  throw new OperatorError(
    `${serving.length} ${serving.length === 1 ? 'instance serves' : 'instances serve'} from this database. Stop every service that uses it. The database must not change during the move.`,
  );
}
