import assert from 'node:assert/strict';
import { EventReader } from '../changes/event-reader.ts';
import { startReceiver } from '../changes/receiver.ts';
import { type RequestOptions, request } from './request.ts';

interface Person {
  readonly email: string;
  readonly password: string;
}

const signIns = 2;
const streams = 3;
const readsOfLogin = 20;
const eventsOfStream = 50;
const login = '/v1/clients/web/admin/login';

/**
 * People who sign in with a password, read, search and log out, subscribers of changes, and a receiver of webhooks.
 * Another user writes `entries`. `wrong` records responses with an unexpected status.
 */
export class MixedLoad {
  /** Unexpected responses. */
  readonly wrong: string[] = [];
  requests = 0;
  events = 0;
  readonly #url: string;
  readonly #person: Person;
  readonly #readers = new Set<EventReader>();
  #working: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #webhook = '';
  #received: readonly unknown[] = [];

  /** It stops at the end of the test, even if the test fails. */
  static async begin(t: { after(work: () => Promise<void>): void }, url: string, person: Person): Promise<MixedLoad> {
    const load = new MixedLoad(url, person);
    t.after(() => load.end());
    const receiver = await startReceiver();
    load.#received = receiver.received;
    const json = { url: receiver.url, resources: ['entries'] };
    const made = await load.#request(201, '/v1/webhooks', { json, token: await load.#signIn() });
    load.#webhook = (made.body.data as { id: string }).id;
    const workers = [
      ...Array.from({ length: signIns }, () => load.#repeat(() => load.#visit())),
      ...Array.from({ length: streams }, () => load.#repeat(() => load.#follow())),
    ];
    load.#working = Promise.all(workers);
    return load;
  }

  private constructor(url: string, person: Person) {
    this.#url = url;
    this.#person = person;
  }

  get delivered(): number {
    return this.#received.length;
  }

  async end(): Promise<void> {
    this.#stopped = true;
    for (const reader of this.#readers) reader.close();
    await this.#working;
  }

  /** The number of deliveries that the receiver does not have yet. */
  async undelivered(): Promise<number> {
    const path = `/v1/webhooks/${this.#webhook}/deliveries?search=state:waiting&limit=1`;
    const { body } = await this.#request(200, path, { token: await this.#signIn() });
    return (body.meta as { total: number }).total;
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) await work().catch((error) => this.#note(String(error)));
  }

  #note(what: string): void {
    if (this.wrong.length < 20) this.wrong.push(what);
  }

  async #request(status: number, path: string, options: RequestOptions = {}) {
    this.requests += 1;
    const response = await request({ url: this.#url }, path, options);
    if (response.status !== status) this.#note(`${path}: ${response.status} ${response.text}`);
    return response;
  }

  async #signIn(): Promise<string> {
    const { body } = await this.#request(200, login, { json: this.#person });
    return String(body.access_token);
  }

  async #visit(): Promise<void> {
    const token = await this.#signIn();
    for (let i = 0; i < readsOfLogin && !this.#stopped; i++) {
      // A new search, which no cache contains.
      const odd = Math.random().toString(36).slice(2);
      await this.#request(200, '/v1/users/me', { token });
      await this.#request(200, '/v1/entries?limit=20&orderBy=count', { token });
      await this.#request(200, `/v1/entries?search=label:${odd}*`, { token });
      await this.#request(404, `/v1/entries/${odd}`, { token });
    }
    await this.#request(200, '/v1/logout', { method: 'DELETE', token });
    await this.#request(401, '/v1/users/me', { token });
  }

  /** A session with a stream that is dropped, resumed, and ended by a logout. */
  async #follow(): Promise<void> {
    const token = await this.#signIn();
    let position: string | undefined;
    for (let connection = 0; connection < 3 && !this.#stopped; connection++) {
      const reader = await this.#open(token, position);
      try {
        assert.equal(reader.response.status, 200);
        for (let i = 0; i < eventsOfStream && (await reader.next()); i++) this.events += 1;
        position = reader.lastId;
      } finally {
        this.#readers.delete(reader);
        reader.close();
      }
    }
    await this.#request(200, '/v1/logout', { method: 'DELETE', token });
  }

  async #open(token: string, position: string | undefined): Promise<EventReader> {
    const headers = { authorization: `Bearer ${token}`, ...(position ? { 'last-event-id': position } : {}) };
    const reader = await EventReader.open(`${this.#url}/v1/changes?resources=entries`, headers);
    this.#readers.add(reader);
    if (this.#stopped) reader.close();
    return reader;
  }
}
