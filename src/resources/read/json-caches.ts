import { BoundedMap } from '../../platform/bounded-map.ts';
import type { PageLinks } from '../model/paging.ts';
import type { StoredRow } from '../sql/executor.ts';
import type { Fragment } from '../sql/sql-text.ts';
import type { JsonWithEtag } from './row-json.ts';

/** The limits of each cache: entries, characters of JSON in all entries, and characters of one entry. */
interface Limits {
  readonly maxEntries: number;
  readonly maxCharacters: number;
  readonly maxLength: number;
}

const rowLimits: Limits = { maxEntries: 5000, maxCharacters: 4_000_000, maxLength: 8192 };
const pageLimits: Limits = { maxEntries: 500, maxCharacters: 1_000_000, maxLength: 65_536 };

class JsonCache<V extends { readonly json: string }> {
  readonly #limits: Limits;
  readonly #byKey: BoundedMap<string, V>;
  #characters = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    this.#byKey = new BoundedMap(limits.maxEntries, (key) => this.#delete(key));
  }

  get(key: string): V | undefined {
    return this.#byKey.get(key);
  }

  set(key: string, value: V): void {
    this.#delete(key);
    if (value.json.length > this.#limits.maxLength) return;
    this.#byKey.set(key, value);
    this.#characters += value.json.length;
    if (this.#characters > this.#limits.maxCharacters) this.#shrink();
  }

  /** Makes room for more than one entry, because the search for the oldest one takes long (`bounded-map.ts`). */
  #shrink(): void {
    for (const oldest of this.#byKey.keys()) {
      if (this.#characters <= this.#limits.maxCharacters * 0.99) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#characters -= this.#byKey.get(key)?.json.length ?? 0;
    this.#byKey.delete(key);
  }
}

interface CachedRow extends JsonWithEtag {
  readonly row: StoredRow;
  /** The revision of the database at which the row was read last. */
  revision: number | undefined;
}

/** Caches the JSON of rows. Comparing a row costs far less than serializing and hashing it again. */
export class RowCache {
  readonly #cache = new JsonCache<CachedRow>(rowLimits);

  /** The row with this id, if nothing was committed since it was read. */
  get(id: string, revision: number): JsonWithEtag | undefined {
    const cached = this.#cache.get(id);
    return cached?.revision === revision ? cached : undefined;
  }

  /** `revision`: the revision of the database before the row was read. */
  getOrSerialize(row: StoredRow, write: () => JsonWithEtag, revision?: number): JsonWithEtag {
    const cached = this.#cache.get(row.id);
    if (cached && isSameRow(cached.row, row)) {
      cached.revision = revision;
      return cached;
    }
    const { json, etag } = write();
    const written = { json, etag, row, revision };
    this.#cache.set(row.id, written);
    return written;
  }
}

/** Rows of one shape have the same columns. Values that are objects never count as equal. */
function isSameRow(first: StoredRow, second: StoredRow): boolean {
  for (const column in first) if (first[column] !== second[column]) return false;
  return true;
}

interface CachedPage {
  readonly json: string;
  readonly links: PageLinks;
  /** The condition of the listed rows. It depends on the caller. */
  readonly where: Fragment;
  readonly revision: number;
}

/** Caches pages of lists by URL. A page is valid until the next commit, for callers who may see the same rows. */
export class PageCache {
  readonly #cache = new JsonCache<CachedPage>(pageLimits);

  get(url: string, where: Fragment, revision: number): CachedPage | undefined {
    const cached = this.#cache.get(url);
    return cached?.revision === revision && isSameCondition(cached.where, where) ? cached : undefined;
  }

  set(url: string, page: CachedPage): void {
    this.#cache.set(url, page);
  }
}

const isSameCondition = (first: Fragment, second: Fragment): boolean =>
  first === second ||
  (first.values.length === second.values.length &&
    first.strings.every((text, i) => text === second.strings[i]) &&
    first.values.every((value, i) => value === second.values[i]));
