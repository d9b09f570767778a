import { codeOf, reasonOf } from '../../../platform/errors.ts';
import { readServerState, type ServerState } from './server-state.ts';
import { splitHosts, withoutCredentials } from './split-hosts.ts';

const resultCacheMs = 250;
/** The longest time for which a returning former primary can go unnoticed. */
const watchIntervalMs = 5000;

interface ServerCheck {
  readonly server: string;
  readonly state?: ServerState;
  readonly error?: unknown;
}

/**
 * Finds the server that accepts writes among the servers of a URL. All connections go to it, so that rows and invalidations come from the
 * same server. A single server is used without a check.
 */
export class Primary {
  readonly servers: readonly [string, ...string[]];
  readonly #listeners: (() => void)[] = [];
  #current: string;
  /** The state of the last primary. A server with an earlier timeline lacks later writes. */
  #lastPrimary: Pick<ServerState, 'system' | 'timeline'> = { system: '', timeline: 0 };
  #finding: Promise<void> | undefined;
  #watching: NodeJS.Timeout | undefined;

  constructor(url: string) {
    this.servers = splitHosts(url);
    this.#current = this.servers[0];
  }

  get current(): string {
    return this.#current;
  }

  get hasChoice(): boolean {
    return this.servers.length > 1;
  }

  /** For the operator: the servers, and the reason why no connection was made. */
  describeFailure(error: unknown): string {
    return `The PostgreSQL database at ${this.servers.map(withoutCredentials).join(', ')} cannot be used: ${reasonOf(error) || codeOf(error)}.`;
  }

  /** Calls the listener before anything is sent to the new primary. It must close connections to other servers at once. */
  onFailover(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Checks all servers. Rejects if none of them accepts writes. */
  find(): Promise<void> {
    if (!this.hasChoice) return Promise.resolve();
    if (!this.#finding) {
      this.#finding = this.#find();
      const clearLater = () => {
        setTimeout(() => {
          this.#finding = undefined;
        }, resultCacheMs).unref();
      };
      this.#finding.then(clearLater, clearLater);
    }
    return this.#finding;
  }

  /** A former primary may return, or may never have stopped. An instance that is connected to it would not notice. */
  watch(): void {
    if (!this.hasChoice) return;
    this.#watching = setInterval(() => void this.#checkOtherServers(), watchIntervalMs).unref();
  }

  close(): void {
    clearInterval(this.#watching);
  }

  async #checkOtherServers(): Promise<void> {
    const otherServers = this.servers.filter((server) => server !== this.#current);
    const checks = await Promise.all(otherServers.map(checkServer));
    if (checks.some(({ state }) => state?.isWritable)) await this.find().catch(() => undefined);
  }

  async #find(): Promise<void> {
    const checks = await Promise.all(this.servers.map(checkServer));
    const [first, ...otherPrimaries] = checks
      .filter(({ state }) => state && this.#canBePrimary(state))
      .sort(
        (a, b) =>
          (b.state?.timeline ?? 0) - (a.state?.timeline ?? 0) ||
          Number(b.server === this.#current) - Number(a.server === this.#current),
      );
    if (!first?.state)
      throw new NoPrimary(`no server accepts writes (${checks.map((check) => this.#describe(check)).join('; ')})`);
    const { state, server } = first;
    const foreignServer = otherPrimaries.find((otherPrimary) => otherPrimary.state?.system !== state.system);
    if (foreignServer)
      throw new NoPrimary(
        `${withoutCredentials(server)} and ${withoutCredentials(foreignServer.server)} accept writes but belong to different clusters: remove one of them from the URL`,
      );
    this.#lastPrimary = state;
    this.#switchTo(server);
  }

  #canBePrimary({ isWritable, system, timeline }: ServerState): boolean {
    const lastPrimary = this.#lastPrimary;
    if (!isWritable) return false;
    return lastPrimary.system === '' || (system === lastPrimary.system && timeline >= lastPrimary.timeline);
  }

  #switchTo(server: string): void {
    if (server === this.#current) return;
    this.#current = server;
    for (const listener of this.#listeners) listener();
  }

  #describe({ server, state, error }: ServerCheck): string {
    const reason = (): string => {
      if (!state) return reasonOf(error) || (codeOf(error) ?? 'unreachable');
      if (!state.isWritable) return 'a standby, or read-only';
      return state.system === this.#lastPrimary.system ? 'a primary of an earlier timeline' : 'in another cluster';
    };
    return `${withoutCredentials(server)}: ${reason()}`;
  }
}

const checkServer = async (server: string): Promise<ServerCheck> => {
  try {
    return { server, state: await readServerState(server) };
  } catch (error) {
    return { server, error };
  }
};

class NoPrimary extends Error {
  /** The same code as for a write on a read-only server. */
  readonly code = '25006';
}
