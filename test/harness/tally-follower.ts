import assert from 'node:assert/strict';
import { type Change, EventReader } from '../changes/event-reader.ts';
import { request } from './request.ts';

export interface TallyList {
  readonly data: readonly { readonly id: string; readonly count: number }[];
  readonly meta: { readonly changes_position: string };
}

/** Expected during failures: no response, or a status that asks for a retry. Proxies have additional ones. */
const temporaryStatuses = new Set([429, 502, 503, 504]);
const soon = () => new Promise((resolve) => setTimeout(resolve, 30));

/**
 * Follows rows that are counted up, over one instance after the other, and drops its connection now and then. It throws
 * at a change that it missed, that is out of order, or that it may not see.
 */
export class TallyFollower {
  /** The last count of each row that it received. */
  readonly counts = new Map<string, number>();
  changes = 0;
  connections = 0;
  resyncs = 0;
  repeated = 0;
  readonly #urls: () => readonly string[];
  readonly #token: string;
  readonly #owner: string | undefined;
  readonly #positions = new Set<string>();
  #position: string | undefined;
  #reader: EventReader | undefined;
  #stopped = false;

  /** `owner`: it may see only the rows of this user. Without it, it must see all rows. */
  constructor(urls: () => readonly string[], token: string, owner?: string) {
    this.#urls = urls;
    this.#token = token;
    this.#owner = owner;
  }

  async follow(): Promise<void> {
    while (!this.#stopped) {
      const urls = this.#urls();
      const url = urls[this.connections++ % urls.length] as string;
      if (!(await this.#connect(url).catch(whereUnanswered))) await soon();
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#reader?.close();
  }

  /** False if there is nothing to read. */
  async #connect(url: string): Promise<boolean> {
    this.#position ??= await this.#list(url);
    if (this.#position === undefined) return false;
    const headers = { authorization: `Bearer ${this.#token}`, 'last-event-id': this.#position };
    const reader = await EventReader.open(`${url}/v1/changes?resources=tallies`, headers);
    this.#reader = reader;
    const { status } = reader.response;
    try {
      if (status === 410) this.#resync();
      else if (status === 200) await this.#read(reader);
      else if (!temporaryStatuses.has(status)) assert.fail(`a stream was answered with ${await reader.responseText()}`);
    } finally {
      reader.close();
    }
    return status === 200;
  }

  async #read(reader: EventReader): Promise<void> {
    const most = 1 + Math.floor(Math.random() * 60);
    for (let i = 0; i < most && !this.#stopped; i++) {
      const event = await reader.next();
      if (reader.lastId !== '') this.#position = reader.lastId;
      if (!event) return;
      if (event.event === 'end') return JSON.parse(event.data).code === 'resync' ? this.#resync() : undefined;
      this.#take(JSON.parse(event.data) as Change);
    }
  }

  #resync(): void {
    this.resyncs += 1;
    this.#position = undefined;
  }

  async #list(url: string): Promise<string | undefined> {
    const response = await request<TallyList>({ url }, '/v1/tallies?limit=100', { token: this.#token });
    const { status, headers, text, body } = response;
    if (temporaryStatuses.has(status)) return undefined;
    assert.equal(status, 200, `a list was answered with ${JSON.stringify(Object.fromEntries(headers))} ${text}`);
    for (const { id, count } of body.data) {
      assert.ok(count >= (this.counts.get(id) ?? 0), 'a list shows no older count than the stream');
      this.counts.set(id, count);
    }
    return body.meta.changes_position;
  }

  #take({ position, id, operation, before, after, ...rest }: Change): void {
    if (this.#positions.has(position)) {
      this.repeated += 1;
      return;
    }
    this.#positions.add(position);
    this.changes += 1;
    if (operation === 'left') {
      assert.ok(this.#owner, 'a subscriber that may see every row gets no "left" change');
      assert.deepEqual([before, after, Object.keys(rest)], [undefined, undefined, ['resource']]);
      return;
    }
    const count = after?.count as number;
    const last = this.counts.get(id);
    this.counts.set(id, count);
    if (this.#owner) {
      for (const row of [before, after])
        assert.equal(row?.user_id ?? this.#owner, this.#owner, "only the subscriber's own rows");
      assert.ok(last === undefined || count > last, `${id}: ${count} after ${last}`);
    } else assert.equal(count, (last ?? 0) + 1, `${id}: ${count} after ${last}`);
  }
}

/** A failed connection. Errors in a response are thrown. */
function whereUnanswered(error: unknown): boolean {
  if (error instanceof assert.AssertionError) throw error;
  return false;
}
