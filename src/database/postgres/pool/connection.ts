import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { unavailable } from '../../../platform/errors.ts';
import { readTimeoutError } from '../../fair-queue.ts';
import { statementSpan } from '../../statement-span.ts';
import { graceMs, type Limits } from './limits.ts';
import { isCanceled, isConnectionError, isDeadlock, isStalePlan, toProblem } from './postgres-errors.ts';
import type { PrimaryPool } from './primary-pool.ts';
import { requireReplicated } from './unreplicated.ts';

const maxPrepared = 50;
const maxRecentTexts = 500;
/** A longer text is planned each time. */
const maxTextLength = 5000;

interface Prepared {
  /** By text, in the order of their last use. */
  readonly names: Map<string, string>;
  count: number;
}

const recentTexts = new Set<string>();
const preparedByClient = new WeakMap<pg.ClientBase, Prepared>();

/**
 * Returns the name under which a connection prepares a text that callers influence, such as a search. Two searches for different values
 * have the same text. Callers can produce any number of texts. So only a repeated text is prepared, and the least recently used ones are
 * dropped.
 */
async function statementNameOf(client: pg.ClientBase, text: string): Promise<string | undefined> {
  if (text.length > maxTextLength) return undefined;
  const prepared = preparedByClient.get(client) ?? { names: new Map(), count: 0 };
  const preparedName = prepared.names.get(text);
  if (preparedName) {
    prepared.names.delete(text);
    prepared.names.set(text, preparedName);
    return preparedName;
  }
  if (!recentTexts.delete(text)) {
    rememberText(text);
    return undefined;
  }
  rememberText(text);
  preparedByClient.set(client, prepared);
  const name = `r${prepared.count++}`;
  prepared.names.set(text, name);
  if (prepared.names.size > maxPrepared) await deallocateOldest(client, prepared);
  return name;
}

function rememberText(text: string): void {
  recentTexts.add(text);
  if (recentTexts.size <= maxRecentTexts) return;
  const [oldest = ''] = recentTexts;
  recentTexts.delete(oldest);
}

async function deallocateOldest(client: pg.ClientBase, { names }: Prepared): Promise<void> {
  const [oldest] = names;
  if (!oldest) return;
  const [text, name] = oldest;
  names.delete(text);
  const { parsedStatements } = client.connection;
  // A statement that failed to parse was never prepared.
  if (!(name in parsedStatements)) return;
  // If the connection is broken, the next statement reports it.
  await client.query(`deallocate ${name}`).catch(() => undefined);
  delete parsedStatements[name];
}

const dayMs = 86_400_000;

/** Names of repeated statements. PostgreSQL parses and plans a named statement once per connection. */
const statementNames = new Map<string, string>();
function statementName(text: string): string | undefined {
  const existing = statementNames.get(text);
  if (existing || statementNames.size >= 500) return existing;
  const name = `g${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/** PostgreSQL detects a deadlock after a second (`deadlock_timeout`). */
const maxDeadlocks = 5;
const dataStatement = /^\s*(select|insert|update|delete|with)\b/i;

export async function connect(pool: PrimaryPool, limits: Limits): Promise<Connection> {
  try {
    return new Connection(await pool.connect(), limits, pool);
  } catch (error) {
    throw toProblem(error);
  }
}

export class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  /** The connection must not be used again: it is broken, or its prepared plans are outdated. */
  #unusable = false;
  readonly #limits: Limits;
  readonly #pool: PrimaryPool;
  #inTransaction = false;
  #timeoutMs: number;

  constructor(client: pg.PoolClient, limits: Limits, pool: PrimaryPool) {
    this.client = client;
    this.#limits = limits;
    this.#timeoutMs = limits.timeoutMs;
    this.#pool = pool;
  }

  async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const isData = query.kind !== 'RawNode' && /^(select|insert|update|delete)/.test(sql);
    const { rows, rowCount } = await this.query(sql, parameters as unknown[], isData);
    this.#applyStatementTimeout(sql);
    return { rows: rows ?? [], numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /**
   * `prepare`: true prepares the statement, `if-repeated` prepares it if the same text comes again. The time limit applies here too, after the
   * limit of the server.
   */
  async query(
    text: string,
    values: unknown[],
    prepare: boolean | 'if-repeated',
    deadlocks = 0,
  ): Promise<pg.QueryResult> {
    const limit = { query_timeout: this.#timeoutMs };
    const canPrepare = prepare && !this.#pool.transactionPooler;
    const name = canPrepare
      ? prepare === 'if-repeated'
        ? await statementNameOf(this.client, text)
        : statementName(text)
      : undefined;
    const runQuery = () =>
      statementSpan('postgresql', text, () => this.client.query({ text, values, ...limit, ...(name ? { name } : {}) }));
    try {
      const needsTransaction = this.#pool.transactionPooler && !this.#inTransaction && dataStatement.test(text);
      const result = await (needsTransaction ? this.#inOwnTransaction(runQuery) : runQuery());
      requireReplicated(this.client);
      return result;
    } catch (error) {
      this.#unusable ||= isConnectionError(error) || isStalePlan(error);
      this.#pool.checkPrimary(error);
      if (isCanceled(error) && !this.#inTransaction) throw readTimeoutError(this.#limits.readMs / 1000);
      // In a transaction, a deadlock undoes earlier statements as well.
      if (isDeadlock(error) && !this.#inTransaction) {
        // A migration changes several tables. A read of several tables can deadlock with it at each one.
        if (deadlocks < maxDeadlocks) return this.query(text, values, prepare, deadlocks + 1);
        throw unavailable('The database is being changed. Try again.', 1, 'deadlock');
      }
      if (!isStalePlan(error)) throw toProblem(error);
      if (this.#inTransaction) throw unavailable('The database is being changed. Try again.', 1, 'stale plan');
      return this.client.query({ text, values, ...limit });
    }
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield await Promise.reject(new Error('streaming is not used here: page by key instead'));
  }

  begin(): Promise<void> {
    return this.#runTransactionCommand('begin');
  }
  commit(): Promise<void> {
    return this.#runTransactionCommand('commit');
  }
  rollback(): Promise<void> {
    return this.#runTransactionCommand('rollback');
  }
  release(): void {
    this.client.release(this.#unusable);
  }

  async #runTransactionCommand(text: 'begin' | 'commit' | 'rollback'): Promise<void> {
    this.#inTransaction = text === 'begin';
    this.#timeoutMs = this.#limits.timeoutMs;
    const { transactionStatementMs: inTransactions, timeoutMs } = this.#limits;
    // Sent with "begin", so that it costs no extra round trip.
    const limit = text === 'begin' ? `; set local statement_timeout = ${inTransactions}${this.#idleTimeoutSql()}` : '';
    try {
      await this.client.query({ text: text + limit, query_timeout: timeoutMs });
      requireReplicated(this.client);
    } catch (error) {
      // The outcome is unknown. Closing the connection ends its transaction.
      this.#unusable = true;
      throw toProblem(error);
    }
  }

  /** A migration sets a longer limit. As in PostgreSQL, 0 means no limit. */
  #applyStatementTimeout(text: string): void {
    const [, ms] = /^set (?:local )?statement_timeout = (\d+)$/.exec(text) ?? [];
    if (ms) this.#timeoutMs = ms === '0' ? dayMs : Number(ms) + graceMs;
  }

  /** Without a pooler, this limit is set once for the whole connection. */
  #idleTimeoutSql(): string {
    return this.#pool.transactionPooler
      ? `; set local idle_in_transaction_session_timeout = ${this.#limits.idleInTransactionMs}`
      : '';
  }

  /** Through a transaction pooler, a limit applies to one transaction only. The three statements are sent without waiting in between. */
  async #inOwnTransaction(runQuery: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
    const { readMs: read, timeoutMs } = this.#limits;
    const [beginResult, queryResult, commitResult] = await Promise.allSettled([
      this.client.query({ text: `begin; set local statement_timeout = ${read}`, query_timeout: timeoutMs }),
      runQuery(),
      this.client.query({ text: 'commit', query_timeout: timeoutMs }),
    ]);
    if (beginResult.status === 'rejected') throw beginResult.reason;
    if (queryResult.status === 'rejected') throw queryResult.reason;
    if (commitResult.status === 'rejected') throw commitResult.reason;
    return queryResult.value;
  }
}
