import { BoundedMap } from '../../platform/bounded-map.ts';
import type { StoredRow } from '../sql/executor.ts';
import type { TaggedJson } from './row-json.ts';

interface Written {
  readonly row: StoredRow;
  readonly tagged: TaggedJson;
}

const remembered = 500;
const longestRemembered = 8192;

/**
 * What was last written of each row, for one choice of fields. Most rows that are asked for again are the same as before.
 * To see that they are takes far less than to write and hash them again.
 */
export class RecentRows {
  readonly #byId = new BoundedMap<string, Written>(remembered);

  of(row: StoredRow, write: () => TaggedJson): TaggedJson {
    const id = row.id as string;
    const last = this.#byId.get(id);
    if (last && areSame(last.row, row)) return last.tagged;
    const tagged = write();
    if (tagged.json.length <= longestRemembered) this.#byId.set(id, { row, tagged });
    return tagged;
  }
}

/** Rows of one shape have the same columns. Values that are objects never count as the same. */
function areSame(one: StoredRow, other: StoredRow): boolean {
  for (const column in one) if (one[column] !== other[column]) return false;
  return true;
}
