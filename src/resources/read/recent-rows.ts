import { BoundedMap } from '../../platform/bounded-map.ts';
import type { StoredRow } from '../sql/executor.ts';
import type { TaggedJson } from './row-json.ts';

interface Written {
  readonly row: StoredRow;
  readonly tagged: TaggedJson;
}

/** The limits of the cache per resource: rows, and characters of JSON. */
const maxRows = 5000;
const maxCharacters = 4_000_000;
const maxRowLength = 8192;

/** Caches the JSON of rows. Comparing a row costs far less than serializing and hashing it again. */
export class RecentRows {
  readonly #byId = new BoundedMap<string, Written>(maxRows, (id) => this.#forget(id));
  #characters = 0;

  of(row: StoredRow, write: () => TaggedJson): TaggedJson {
    const id = row.id;
    const last = this.#byId.get(id);
    if (last && areSame(last.row, row)) return last.tagged;
    const tagged = write();
    if (last) this.#forget(id);
    if (tagged.json.length <= maxRowLength) this.#remember(id, { row, tagged });
    return tagged;
  }

  #remember(id: string, written: Written): void {
    this.#byId.set(id, written);
    this.#characters += written.tagged.json.length;
    while (this.#characters > maxCharacters) this.#forget(this.#byId.keys().next().value as string);
  }

  #forget(id: string): void {
    this.#characters -= this.#byId.get(id)?.tagged.json.length ?? 0;
    this.#byId.delete(id);
  }
}

/** Rows of one shape have the same columns. Values that are objects never count as equal. */
function areSame(one: StoredRow, other: StoredRow): boolean {
  for (const column in one) if (one[column] !== other[column]) return false;
  return true;
}
