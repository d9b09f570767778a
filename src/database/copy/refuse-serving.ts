import { sql } from 'kysely';
import { OperatorError } from '../../platform/errors.ts';
import type { Database } from '../database.ts';
import { type InstanceRow, listInstances } from '../postgres/invalidations/instance-table.ts';
import { leaseSurelyOver } from '../postgres/invalidations/lease.ts';

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
