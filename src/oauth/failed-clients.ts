import type { Context } from '../database/context.ts';
import { networkOf } from '../http/network-of.ts';
import type { RequestSource } from '../http/request-source.ts';
import { recordEvent } from '../resources/audit/record-event.ts';
import type { ClientDirectory } from './clients/client-directory.ts';

const windowMs = 15 * 60_000;
/** The limit of client ids per network, existing or not. */
const perNetwork = 10;
/** The limit of all networks together: an attacker with many networks must not fill the audit trail. */
const inAll = 500;
const maxIdLength = 128;

/** Records failed client authentication, at most once per 15 minutes, client and network. Each instance counts for itself. */
export class FailedClientAuthentications {
  readonly #context: Context;
  readonly #clients: ClientDirectory;
  /** The client ids that were tried, by network. */
  #tried = new Map<string, Set<string>>();
  #recorded = 0;
  #since = 0;

  constructor(context: Context, clients: ClientDirectory) {
    this.#context = context;
    this.#clients = clients;
  }

  async record(id: string | undefined, source: RequestSource): Promise<void> {
    const named = (id ?? '').slice(0, maxIdLength);
    if (!this.#isNew(named, networkOf(source.address ?? 'unknown'))) return;
    const { database, log } = this.#context;
    try {
      const known = named === '' || named !== id ? undefined : await this.#clients.find(named);
      const data = known || named === '' ? {} : { client: named };
      await recordEvent(this.#context, database.db, {
        type: 'client.authentication_failed',
        clientId: known?.id,
        userId: known?.userId,
        source,
        data,
      });
    } catch (error) {
      log.warn({ err: error }, 'a failed client authentication was not recorded');
    }
  }

  #isNew(id: string, network: string): boolean {
    const now = this.#context.now();
    if (Math.abs(now - this.#since) >= windowMs) {
      this.#tried = new Map();
      this.#recorded = 0;
      this.#since = now;
    }
    let ids = this.#tried.get(network);
    if (this.#recorded >= inAll || (ids && (ids.has(id) || ids.size >= perNetwork))) return false;
    if (!ids) {
      ids = new Set();
      this.#tried.set(network, ids);
    }
    ids.add(id);
    this.#recorded++;
    return true;
  }
}
