import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { parseJson } from '../../platform/json-text.ts';
import { everything, type Invalidation } from '../bus.ts';
import type { Tx } from '../database.ts';

/** The number of invalidations that are kept. A process that has missed older ones clears its whole cache. */
const maxRows = 1000;
/** With more invalidations than this, clearing the whole cache is faster than clearing entries one by one. */
const maxInvalidations = 200;

/** Invalidations between processes that share a SQLite file, written in the transaction of the change. */
export class SqliteInvalidations {
  readonly #file: DatabaseSync;
  #selectNewer: StatementSync | undefined;
  #lastRead = 0;

  /** `file`: a connection that sees only committed data. */
  constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** Call it when the table exists. */
  join(): void {
    const newest = this.#file.prepare('select coalesce(max(id), 0) as id from invalidations').get();
    this.#lastRead = Number(newest?.id);
    this.#selectNewer = this.#file.prepare('select id, changes from invalidations where id > ? order by id');
  }

  async write(tx: Tx, invalidations: readonly Invalidation[]): Promise<void> {
    const stored = invalidations.length > maxInvalidations ? [everything] : invalidations;
    const { id } = await tx
      .insertInto('invalidations')
      .values({ id: sql`(select coalesce(max(id), 0) + 1 from invalidations)`, changes: JSON.stringify(stored) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx
      .deleteFrom('invalidations')
      .where('id', '<=', id - maxRows)
      .execute();
  }

  read(): readonly Invalidation[] {
    if (this.#selectNewer === undefined) return [everything];
    const before = this.#lastRead;
    const rows = this.#selectNewer.all(before);
    if (rows.length === 0) return [];
    this.#lastRead = Number(rows.at(-1)?.id);
    if (rows[0]?.id !== before + 1) return [everything];
    return rows.flatMap(({ changes }) => parseJson<Invalidation[]>(String(changes)));
  }
}
