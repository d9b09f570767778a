import type { Config } from '../../../src/config/config.ts';
import type { Context } from '../../../src/database/context.ts';
import { legacyId } from '../legacy-tokens/legacy-id.ts';
import { findOldIds } from '../legacy-tokens/legacy-id-store.ts';
import type { LegacyKeys } from '../legacy-tokens/legacy-keys.ts';
import { findNewId } from '../legacy-tokens/legacy-token-store.ts';
import { defaultUsersKey, importSource } from '../legacy-tokens/scope-map.ts';
import { Hashids } from './hashids.ts';

const clientsTable = 'oauth_clients';

/** Apiato's default if HASH_ID_LENGTH is not set. The default was different before version 13. */
const lengthsOf = (compat: Config['compat']): number[] => (compat === 'apiato13' ? [16, 32] : [32, 16]);

/** Maps ids of the old service to ids here: numbers, hashed numbers, and ids of tokens. */
export class LegacyIds {
  readonly #context: Context;
  readonly #keys: LegacyKeys;
  #hashids: { salt: string; length: number | undefined; codecs: Hashids[] } | undefined;

  constructor(context: Context, keys: LegacyKeys) {
    this.#context = context;
    this.#keys = keys;
  }

  /** The id here for the old id `value`, or `value` itself if it is unknown. */
  async resolve(resource: string, value: string): Promise<string> {
    if (resource === 'tokens') return /^[0-9a-f]{80}$/.test(value) ? legacyId('access', value) : value;
    if (resource !== 'users' && resource !== 'clients') return value;
    for (const old of await this.#candidates(value)) {
      const newId = await this.#find(resource, old);
      if (newId !== undefined) return newId;
    }
    return value;
  }

  /** The hashed ids of the old service. Ids that it did not know are unchanged. */
  async hide(resource: 'users' | 'clients', ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { config, database } = this.#context;
    if (config.compatIds !== 'hashed' || ids.length === 0) return new Map();
    const [codec] = await this.#codecs();
    if (!codec) return new Map();
    const source = resource === 'clients' ? clientsTable : await this.#usersTable();
    const old = await findOldIds(database.db, source, [...new Set(ids)]);
    const numbers = [...old].filter(([, id]) => /^\d{1,15}$/.test(id));
    return new Map(numbers.map(([id, number]) => [id, codec.encode(Number(number))]));
  }

  async #usersTable(): Promise<string> {
    return (await findNewId(this.#context.database.db, importSource, defaultUsersKey)) ?? 'users';
  }

  async #find(resource: 'users' | 'clients', old: string): Promise<string | undefined> {
    const { db } = this.#context.database;
    return findNewId(db, resource === 'clients' ? clientsTable : await this.#usersTable(), old);
  }

  /** The value itself, and the number that it encodes. Our ids are UUIDs, so they cannot be confused. */
  async #candidates(value: string): Promise<string[]> {
    if (value.length > 64 || !/^[A-Za-z0-9]+$/.test(value)) return [];
    if (/^\d{1,18}$/.test(value)) return [value];
    const number = (await this.#codecs()).map((codec) => codec.decode(value)).find((decoded) => decoded !== undefined);
    return number === undefined ? [value] : [String(number), value];
  }

  async #codecs(): Promise<Hashids[]> {
    const { ids } = await this.#keys.current();
    const { compat } = this.#context.config;
    if (!ids || !compat.startsWith('apiato')) return [];
    if (this.#hashids?.salt !== ids.salt || this.#hashids.length !== ids.length) {
      const lengths = ids.length === undefined ? lengthsOf(compat) : [ids.length];
      this.#hashids = { ...ids, codecs: lengths.map((length) => new Hashids(ids.salt, length)) };
    }
    return this.#hashids.codecs;
  }
}
