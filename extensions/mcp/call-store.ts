import { sql } from 'kysely';
import type { Db } from '../../src/database/database.ts';
import { uuidv7 } from '../../src/database/uuid.ts';

interface Call {
  readonly clientId: string;
  readonly application: string;
  readonly tool: string;
  readonly at: number;
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Counts a call of an application on this day. */
export const countCall = (db: Db, { clientId, application, tool, at }: Call): Promise<unknown> =>
  db
    .insertInto('mcp_calls')
    .values({
      id: uuidv7(at),
      client_id: clientId,
      application,
      day: dayOf(at),
      calls: 1,
      last_tool: tool,
      last_call_at: at,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['client_id', 'day'])
        .doUpdateSet({ application, calls: sql`mcp_calls.calls + 1`, last_tool: tool, last_call_at: at }),
    )
    .execute();

/** There is one row per application and day, so there are never many. */
export const deleteCallsBefore = (db: Db, at: number): Promise<unknown> =>
  db.deleteFrom('mcp_calls').where('day', '<', dayOf(at)).execute();
