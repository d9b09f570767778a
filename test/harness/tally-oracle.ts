import assert from 'node:assert/strict';
import pg from 'pg';
import { type Change, EventReader } from '../changes/event-reader.ts';
import { type JsonResponse, logIn, request } from './request.ts';
import { TallyFollower, type TallyList } from './tally-follower.ts';

export const admin = { email: 'admin@example.com', password: 'correct horse battery' };
const ada = { email: 'ada@example.com', password: 'another long password' };
const rowsOfWriters = 4;
const pause = (most: number) => new Promise((resolve) => setTimeout(resolve, Math.random() * most));

interface Stage {
  /** The instances that are up. */
  urls(): readonly string[];
  /** The URLs for subscribers, if they differ. */
  ways?(): readonly string[];
  /** The PostgreSQL that takes writes now; without it, all writes go through the API. */
  database?(): string;
}

/**
 * Counts rows up from several connections while a trial breaks things, with pauses before each commit. Meanwhile one
 * subscriber follows every row, another one the rows of one user, and sessions with open streams are ended.
 */
export class TallyOracle {
  /** Acknowledged counts. */
  readonly #acknowledged = new Map<string, number>();
  readonly #stage: Stage;
  readonly #token: string;
  readonly #adaId: string;
  readonly #followers: readonly TallyFollower[];
  readonly #writing: Promise<unknown>;
  readonly #following: Promise<unknown>;
  #failure: unknown;
  #stopped = false;
  /** The stream of the session that is ended next. */
  #leaving: EventReader | undefined;
  #writes = 0;
  #logouts = 0;

  /** It stops at the end of the test, even if the test fails. */
  static async begin(t: { after(work: () => void): void }, stage: Stage): Promise<TallyOracle> {
    const on = { url: stage.urls()[0] as string };
    const token = await logIn(on, admin.email, admin.password);
    const made = await request<{ data: { id: string } }>(on, '/v1/register', { json: ada });
    const ids: string[] = [];
    for (let i = 0; i < 2 * rowsOfWriters; i++) {
      const { body } = await request<{ data: { id: string } }>(on, '/v1/tallies', { json: { count: 0 }, token });
      ids.push(body.data.id);
    }
    const tokens = { admin: token, ada: await logIn(on, ada.email, ada.password) };
    const oracle = new TallyOracle(stage, tokens, made.body.data.id, ids);
    t.after(() => oracle.#stop());
    return oracle;
  }

  private constructor(stage: Stage, tokens: { admin: string; ada: string }, adaId: string, ids: readonly string[]) {
    this.#stage = stage;
    this.#token = tokens.admin;
    this.#adaId = adaId;
    for (const id of ids) this.#acknowledged.set(id, 0);
    const ways = () => (stage.ways ?? stage.urls)();
    this.#followers = [new TallyFollower(ways, tokens.admin), new TallyFollower(ways, tokens.ada, adaId)];
    const note = (work: Promise<void>) =>
      work.catch((error) => {
        this.#failure ??= error;
      });
    const shared = ids.slice(rowsOfWriters);
    const writers = ids.slice(0, rowsOfWriters).map((id) => this.#writeByApi(id));
    if (stage.database) writers.push(...shared.map(() => this.#writeBySql(shared)));
    this.#writing = Promise.all([...writers, this.#logOutAgainAndAgain()].map(note));
    this.#following = Promise.all(this.#followers.map((each) => note(each.follow())));
  }

  /** Waits until this many more writes have been acknowledged. */
  async writes(more: number): Promise<void> {
    const enough = this.#writes + more;
    await this.#until(() => this.#writes >= enough);
  }

  /** Compares the changes that the subscribers saw with the database. Returns the counts. */
  async check(): Promise<string> {
    this.#stopWriting();
    await this.#writing;
    let rows: TallyList['data'] | undefined;
    while (!rows) rows = await this.#rows();
    for (const { id, count } of rows) assert.ok(count >= (this.#acknowledged.get(id) ?? 0), 'acknowledged, but lost');
    const [all, own] = this.#followers as [TallyFollower, TallyFollower];
    const there = rows;
    await this.#until(() => there.every(({ id, count }) => all.counts.get(id) === count));
    for (const follower of this.#followers) follower.stop();
    await this.#following;
    if (this.#failure) throw this.#failure;
    return `${this.#writes} writes; ${all.changes} and ${own.changes} changes over ${all.connections + own.connections} connections, ${all.repeated + own.repeated} repeated, ${all.resyncs + own.resyncs} resyncs; ${this.#logouts} logouts`;
  }

  /** The number of times that a subscriber got `resync`. */
  get resyncs(): number {
    return this.#followers.reduce((sum, { resyncs }) => sum + resyncs, 0);
  }

  #stop(): void {
    this.#stopWriting();
    for (const follower of this.#followers) follower.stop();
  }

  #stopWriting(): void {
    this.#stopped = true;
    // There are no more writes to wait for.
    this.#leaving?.close();
  }

  async #until(holds: () => boolean): Promise<void> {
    const until = performance.now() + 120_000;
    while (!holds()) {
      if (this.#failure) throw this.#failure;
      assert.ok(performance.now() < until, 'not reached within two minutes');
      await pause(40);
    }
  }

  #url(): string {
    const urls = this.#stage.urls();
    return urls[Math.floor(Math.random() * urls.length)] as string;
  }

  async #rows(): Promise<TallyList['data'] | undefined> {
    const asked = request<TallyList>({ url: this.#url() }, '/v1/tallies?limit=100', { token: this.#token });
    const response = await asked.catch(() => undefined);
    refuseSignOut(response);
    return response?.status === 200 ? response.body.data : undefined;
  }

  #acknowledge(id: string, count: number): void {
    this.#acknowledged.set(id, Math.max(count, this.#acknowledged.get(id) ?? 0));
    this.#writes += 1;
  }

  /** The only writer of its row. */
  async #writeByApi(id: string): Promise<void> {
    let known: number | undefined;
    while (!this.#stopped) {
      await pause(10);
      known ??= (await this.#rows())?.find((row) => row.id === id)?.count;
      if (known === undefined) continue;
      const json = { count: known + 1, user_id: Math.random() < 0.5 ? this.#adaId : null };
      const asked = request({ url: this.#url() }, `/v1/tallies/${id}`, { method: 'PATCH', json, token: this.#token });
      const response = await asked.catch(() => undefined);
      refuseSignOut(response);
      known = response?.status === 200 ? known + 1 : undefined;
      if (known !== undefined) this.#acknowledge(id, known);
    }
  }

  async #writeBySql(ids: readonly string[]): Promise<void> {
    let client: pg.Client | undefined;
    while (!this.#stopped) {
      try {
        client ??= await connect((this.#stage.database as () => string)());
        await client.query('begin');
        // Takes a transaction id before the first change, so that ids and positions have different orders.
        await client.query('select pg_current_xact_id()');
        await pause(10);
        const id = ids[Math.floor(Math.random() * ids.length)] as string;
        const { rows } = await client.query<{ count: string }>(
          'update tallies set count = count + 1, user_id = case when random() < 0.5 then $2 end where id = $1 returning count',
          [id, this.#adaId],
        );
        await pause(10);
        const undo = Math.random() < 0.2;
        await client.query(undo ? 'rollback' : 'commit');
        if (!undo) this.#acknowledge(id, Number(rows[0]?.count));
      } catch {
        await client?.end().catch(() => undefined);
        client = undefined;
        await pause(100);
      }
    }
    await client?.end();
  }

  async #logOutAgainAndAgain(): Promise<void> {
    while (!this.#stopped) {
      await this.#logOutOnce().catch((error) => {
        if (error instanceof assert.AssertionError) throw error;
      });
      await pause(100);
    }
  }

  /** After a logout is acknowledged, no later write may arrive on a stream of the session. */
  async #logOutOnce(): Promise<void> {
    const token = await logIn({ url: this.#url() }, admin.email, admin.password);
    const headers = { authorization: `Bearer ${token}` };
    const reader = await EventReader.open(`${this.#url()}/v1/changes?resources=tallies`, headers);
    this.#leaving = reader;
    try {
      if (reader.response.status !== 200 || this.#stopped || !(await reader.next())) return;
      const { status } = await request({ url: this.#url() }, '/v1/logout', { method: 'DELETE', token });
      const rows = status === 200 ? await this.#rows() : undefined;
      if (!rows) return;
      const counts = new Map(rows.map(({ id, count }) => [id, count]));
      for (let event = await reader.next(); event && event.event !== 'end'; event = await reader.next()) {
        const { id, after } = JSON.parse(event.data) as Change;
        assert.ok(
          (after?.count as number) <= (counts.get(id) ?? 0),
          'a change was sent that was written after the logout',
        );
      }
      this.#logouts += 1;
    } finally {
      reader.close();
    }
  }
}

/** The session of the oracle never ends, so no response may say so. */
function refuseSignOut(response: JsonResponse<unknown> | undefined): void {
  if (response?.status === 401)
    assert.fail(`the oracle was signed out: ${JSON.stringify([...response.headers])} ${response.text}`);
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
