import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

interface Client {
  readonly client_id: string;
  readonly client_secret: string;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** A login under test. `unknown`: a logout was sent, but there was no response. */
interface Login {
  tokens: Tokens;
  state: 'live' | 'revoked' | 'unknown';
}

const tokensIn = ({ access_token, refresh_token }: Record<string, unknown>): Tokens => ({
  access_token: String(access_token),
  refresh_token: String(refresh_token),
});

const json = { accept: 'application/json', 'content-type': 'application/json' };

/**
 * Writes to a service without a pause while a trial breaks things, and records the acknowledged writes. Afterwards
 * `check` compares: every acknowledged row is unchanged, every login still works, and no revoked token works.
 */
export class Oracle {
  readonly rows = new Map<string, { label: string; count: number }>();
  readonly logins: Login[] = [];
  /** The number of responses by status; 0: no response. */
  readonly responses = new Map<number, number>();
  readonly #client: Client;
  readonly #urls: () => readonly string[];
  #stopped = false;
  #working: Promise<unknown> = Promise.resolve();
  #turn = 0;

  constructor(client: Client, urls: () => readonly string[]) {
    this.#client = client;
    this.#urls = urls;
  }

  /** Starts this many workers. Each logs in, writes, changes, refreshes and logs out in a loop. */
  begin(workers: number): void {
    this.#stopped = false;
    this.#working = Promise.all(Array.from({ length: workers }, () => this.#work()));
  }

  async end(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  get acknowledged(): number {
    return [...this.responses].filter(([status]) => status >= 200 && status < 300).reduce((sum, [, n]) => sum + n, 0);
  }

  /** Waits until this many more requests have succeeded. */
  async succeeds(more: number): Promise<void> {
    const enough = this.acknowledged + more;
    while (this.acknowledged < enough) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const login = await this.#logIn();
      if (!login) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      // Decide now. If waiting writers decided later at the same time, either all or none would log out.
      const leaves = this.logins.length % 3 === 0;
      for (let i = 0; i < 4 && !this.#stopped && login.state === 'live'; i++) {
        await this.#write(login);
        await this.#refresh(login);
      }
      if (leaves && login.state === 'live') await this.#logOut(login);
    }
  }

  #url(): string {
    const urls = this.#urls();
    this.#turn += 1;
    return urls[this.#turn % urls.length] as string;
  }

  async #send(path: string, init: RequestInit): Promise<{ status: number; body: Record<string, unknown> }> {
    let status = 0;
    let body: Record<string, unknown> = {};
    try {
      const response = await fetch(this.#url() + path, { ...init, signal: AbortSignal.timeout(30_000) });
      const text = await response.text();
      body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      status = response.status;
    } catch {
      // Nothing was acknowledged.
    }
    this.responses.set(status, (this.responses.get(status) ?? 0) + 1);
    return { status, body };
  }

  #token(form: Record<string, string>) {
    const body = new URLSearchParams({ ...this.#client, ...form });
    return this.#send('/v1/oauth/token', { method: 'POST', headers: { accept: json.accept }, body });
  }

  async #logIn(): Promise<Login | undefined> {
    const { status, body } = await this.#token({ grant_type: 'client_credentials' });
    if (status !== 200) return undefined;
    const login: Login = { tokens: tokensIn(body), state: 'live' };
    this.logins.push(login);
    return login;
  }

  async #write({ tokens }: Login): Promise<void> {
    const authorization = `Bearer ${tokens.access_token}`;
    const row = { label: randomUUID(), count: 1 };
    // A write without a response may have succeeded. The Idempotency-Key makes the repetition harmless.
    const headers = { ...json, authorization, 'idempotency-key': row.label };
    const made = await this.#send('/v1/entries', { method: 'POST', headers, body: JSON.stringify(row) });
    if (made.status !== 201) return;
    const { id } = made.body.data as { id: string };
    this.rows.set(id, row);
    const changed = { ...row, count: 2 };
    const headersOfChange = { ...json, authorization };
    const body = JSON.stringify({ count: 2 });
    const response = await this.#send(`/v1/entries/${id}`, { method: 'PATCH', headers: headersOfChange, body });
    if (response.status === 200) this.rows.set(id, changed);
    else if (response.status === 0 || response.status >= 500) this.rows.delete(id);
  }

  async #refresh(login: Login): Promise<void> {
    const { refresh_token } = login.tokens;
    const { status, body } = await this.#token({ grant_type: 'refresh_token', refresh_token });
    if (status === 200) login.tokens = tokensIn(body);
    // The result is unknown. The old token must still work, because the response was lost.
    assert.notEqual(status, 400, `a live login was refused: ${JSON.stringify(body)}`);
  }

  async #logOut(login: Login): Promise<void> {
    const headers = { ...json, authorization: `Bearer ${login.tokens.access_token}` };
    const { status } = await this.#send('/v1/logout', { method: 'DELETE', headers });
    login.state = status === 204 || status === 200 || status === 202 ? 'revoked' : 'unknown';
  }

  /** Compares the state of the service with everything that it acknowledged. Returns the counts. */
  async check(): Promise<string> {
    // Taken before the requests of the check itself are counted.
    const failed = [...this.responses].filter(([status]) => status === 0 || status >= 400);
    // After a logout was sent, the login sends no more requests.
    assert.equal(this.responses.get(401) ?? 0, 0, '401 responses to logins that did not end');
    const [login] = this.logins.filter(({ state }) => state === 'live').slice(-1);
    assert.ok(login, 'no login is left');
    const lost: string[] = [];
    const reader = await this.#token({ grant_type: 'client_credentials' });
    const headers = { accept: json.accept, authorization: `Bearer ${reader.body.access_token}` };
    for (const [id, row] of this.rows) {
      const { status, body } = await this.#send(`/v1/entries/${id}`, { headers });
      const found = body.data as { label: string; count: number } | undefined;
      if (status !== 200 || found?.label !== row.label || found.count !== row.count) lost.push(`${id}: ${status}`);
    }
    assert.deepEqual(lost, [], 'acknowledged rows that are missing');
    const wrong: string[] = [];
    for (const { state, tokens } of this.logins) {
      if (state === 'unknown') continue;
      const { status, body } = await this.#token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
      if (state === 'live' && status !== 200) wrong.push(`signed out: ${status} ${JSON.stringify(body)}`);
      if (state !== 'revoked') continue;
      const asked = await this.#send('/v1/entries?limit=1', {
        headers: { ...headers, authorization: `Bearer ${tokens.access_token}` },
      });
      if (status === 200 || asked.status !== 401) wrong.push(`valid after logout: ${status} ${asked.status}`);
    }
    assert.deepEqual(wrong, [], 'logins in an unexpected state');
    assert.equal(this.responses.get(500) ?? 0, 0, '500 responses');
    const revoked = this.logins.filter(({ state }) => state === 'revoked').length;
    return `${this.rows.size} rows, ${this.logins.length} logins, ${revoked} logouts; refused or lost: ${failed.map(([s, n]) => `${n} × ${s || 'no answer'}`).join(', ') || 'none'}`;
  }
}
