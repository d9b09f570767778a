import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../../src/database/context.ts';
import { clientClosedRequest } from '../../../src/platform/errors.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import type { ChangeLog } from '../log/change-log.ts';
import { advancePosition, type Position } from '../log/position.ts';
import { loggedChanges } from '../view/logged-change.ts';
import { type Subscription, visibleChanges } from '../view/subscription.ts';

/** A response reads the log at most this many times, because the caller may see only a few of the changes, or none. */
const maxReads = 20;
const changesPerRead = 500;
/** A change of a row with long values has more than 100 KB. So a page ends at this number of characters, whatever its limit. */
const maxLength = 4 * 1024 * 1024;

interface Options {
  readonly from: Position;
  readonly settled: number;
  readonly limit: number;
  isConnected(): boolean;
}

/** The changes of one page as JSON, and the position after them. They can be fewer than `limit`, or none, although more follow. */
export async function readVisible(
  { context, log, resources }: { context: Context; log: Pick<ChangeLog, 'page' | 'history'>; resources: Resources },
  subscription: Subscription,
  { from, settled, limit, isConnected }: Options,
): Promise<{ found: string[]; to: Position }> {
  const history = await log.history();
  const names = [...subscription.resources.keys()];
  const found: string[] = [];
  let to = from;
  let length = 0;
  for (let reads = 0; to.number < settled && reads < maxReads; reads++) {
    // Other requests run in between. SQLite answers within the same turn.
    if (reads > 0) await nextTurn();
    if (!isConnected()) throw clientClosedRequest();
    // Most callers see every change, so the first read takes no more than the response needs.
    const page = await log.page(to, names, reads === 0 ? limit : changesPerRead);
    const visible = await visibleChanges(context, subscription, loggedChanges(resources, page.rows), history);
    for (const { change, json } of visible) {
      found.push(json);
      length += json.length;
      if (found.length < limit && length < maxLength) continue;
      const isLast = change === visible.at(-1)?.change;
      return { found, to: advancePosition(to, isLast ? page.to : change.position) };
    }
    to = advancePosition(to, page.to);
  }
  return { found, to };
}
