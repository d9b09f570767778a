import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { onBothEngines } from '../harness/engines.ts';
import { type App, addApp, addPasskey, challengeFor, type LoginBody, tryLogin } from '../harness/factors.ts';
import { tokenMailed } from '../harness/mailbox.ts';
import type { PasskeyDevice } from '../harness/passkey-device.ts';
import { password, registerUser } from '../harness/people.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';

const steps = [
  'add an app',
  'remove the app',
  'add a passkey',
  'remove a passkey',
  'make new codes',
  'use a recovery code',
  'use a code again',
  'reset the password',
  'refresh',
  'prove again',
  'an administrator removes all factors',
] as const;
type Step = (typeof steps)[number];

interface Session {
  readonly data: { readonly amr: string[]; readonly acr: string; readonly auth_time: string };
}

/** A model of one user and the user's factors. Every method compares the service with it. */
class Somebody {
  readonly #on: Service;
  readonly #id: string;
  readonly #email: string;
  readonly #admin: string;
  #app: App | undefined;
  #passkeys: { id: string; device: PasskeyDevice }[] = [];
  #codes: string[] = [];
  /** App codes and recovery codes that were accepted. */
  #used: string[] = [];

  constructor(on: Service, { id, email }: { id: string; email: string }, admin: string) {
    this.#on = on;
    this.#id = id;
    this.#email = email;
    this.#admin = admin;
  }

  get #methods(): string[] {
    const second = [...(this.#app ? ['totp'] : []), ...(this.#passkeys.length > 0 ? ['passkey'] : [])];
    return second.length > 0 && this.#codes.length > 0 ? [...second, 'recovery_code'] : second;
  }

  /** Without a factor, the password opens a session. Otherwise the response names exactly the existing factors. */
  async #password(): Promise<LoginBody> {
    const { status, body, text } = await tryLogin(this.#on, { email: this.#email, password });
    if (this.#methods.length === 0) assert.equal(status, 200, text);
    else {
      assert.deepEqual([status, body.error], [403, 'mfa_required'], text);
      assert.deepEqual([...body.methods].sort(), [...this.#methods].sort());
    }
    return body;
  }

  async #secondStep(json: object): Promise<LoginBody> {
    const { mfa_token } = await this.#password();
    const { status, body, text } = await tryLogin(this.#on, { mfa_token, ...json });
    assert.equal(status, 200, text);
    return body;
  }

  #appCode(app: App): string {
    const code = app.next();
    this.#used.push(code);
    return code;
  }

  async #signIn(): Promise<LoginBody> {
    const [passkey] = this.#passkeys;
    if (this.#app) return this.#secondStep({ code: this.#appCode(this.#app) });
    if (!passkey) return this.#password();
    const { mfa_token } = await this.#password();
    const { status, body, text } = await tryLogin(this.#on, {
      mfa_token,
      passkey: passkey.device.get(await challengeFor(this.#on, { mfa_token })),
    });
    assert.equal(status, 200, text);
    return body;
  }

  async #change(method: string, path: string, status: number, token: string): Promise<void> {
    const response = await request(this.#on, path, { method, token });
    assert.equal(response.status, status, response.text);
  }

  /** Recovery codes belong to second factors, and end with the last one. */
  #endCodes(): void {
    if (this.#app || this.#passkeys.length > 0) return;
    this.#used.push(...this.#codes);
    this.#codes = [];
  }

  async take(step: Step): Promise<void> {
    const { access_token: token, refresh_token } = await this.#signIn();
    const session = async (of: string) =>
      (await request<Session>(this.#on, '/v1/sessions/current', { token: of })).body.data;
    const levels = this.#passkeys.length > 0 || this.#app ? ['urn:gatehouse:2', 'phr'] : ['urn:gatehouse:1'];
    assert.ok(levels.includes((await session(token)).acr));
    switch (step) {
      case 'add an app': {
        if (this.#app) return;
        const { app, codes } = await addApp(this.#on, { token });
        this.#used.push(app.code());
        this.#app = app;
        if (codes.length > 0) this.#newCodes(codes);
        return;
      }
      case 'remove the app':
        if (!this.#app) return;
        await this.#change('DELETE', `/v1/authenticators/${this.#app.id}`, 204, token);
        this.#app = undefined;
        return this.#endCodes();
      case 'add a passkey': {
        const { device, response } = await addPasskey(this.#on, { token });
        assert.equal(response.status, 201, response.text);
        this.#passkeys.push({ id: response.body.data.id, device });
        if (response.body.data.recovery_codes) this.#newCodes(response.body.data.recovery_codes);
        return;
      }
      case 'remove a passkey': {
        const passkey = this.#passkeys.pop();
        if (!passkey) return;
        await this.#change('DELETE', `/v1/passkeys/${passkey.id}`, 204, token);
        return this.#endCodes();
      }
      case 'make new codes': {
        if (this.#methods.length === 0) return;
        const { body, text } = await request<{ data: { recovery_codes: string[] } }>(this.#on, '/v1/recovery-codes', {
          json: {},
          token,
        });
        assert.equal(body.data?.recovery_codes.length, 10, text);
        return this.#newCodes(body.data.recovery_codes);
      }
      case 'use a recovery code': {
        const code = this.#codes[0];
        if (!code) return;
        await this.#secondStep({ code });
        this.#codes.shift();
        this.#used.push(code);
        return;
      }
      case 'use a code again': {
        const code = this.#used.at(-1);
        if (!code || this.#methods.length === 0) return;
        const { mfa_token } = await this.#password();
        const { body } = await tryLogin(this.#on, { mfa_token, code });
        assert.equal(body.error, 'invalid_grant', code);
        return;
      }
      case 'reset the password': {
        await request(this.#on, '/v1/password/resets', { json: { email: this.#email } });
        const link = await tokenMailed(this.#on, 'reset-password', this.#email);
        const reset = await request(this.#on, `/v1/password/resets/${link}`, { json: { password } });
        assert.equal(reset.status, 200, reset.text);
        assert.equal((await request(this.#on, '/v1/users/me', { token })).status, 401);
        return;
      }
      case 'refresh': {
        const known = await session(token);
        const { body, text } = await request<LoginBody>(this.#on, '/v1/clients/web/admin/refresh', {
          json: { refresh_token },
        });
        assert.ok(body.access_token, text);
        const { acr, amr, auth_time } = await session(body.access_token);
        assert.deepEqual([acr, amr, auth_time], [known.acr, known.amr, known.auth_time]);
        return;
      }
      case 'prove again': {
        const [passkey] = this.#passkeys;
        const json = this.#app
          ? { code: this.#appCode(this.#app) }
          : passkey
            ? { passkey: passkey.device.get(await challengeFor(this.#on, { type: 'get' }, token)) }
            : { password };
        const { status, text } = await request(this.#on, '/v1/sessions/current/proofs', { json, token });
        assert.equal(status, 201, text);
        assert.ok(levels.includes((await session(token)).acr), 'the authentication level stays');
        return;
      }
      case 'an administrator removes all factors':
        await this.#change('DELETE', `/v1/users/${this.#id}/factors`, 204, this.#admin);
        this.#app = undefined;
        this.#passkeys = [];
        return this.#endCodes();
    }
  }

  #newCodes(codes: string[]): void {
    this.#used.push(...this.#codes);
    this.#codes = codes;
  }
}

onBothEngines('Factors', (engine) => {
  const start = services(engine);
  let service: Service;
  before(async () => {
    service = await start({ env: { FRESH_PROOF: '2000000', ACCESS_TOKEN_TTL: '2000000' } });
  });

  it('require all set-up factors, lock no user out, and accept no code twice, in any order', async () => {
    const admin = await logIn(service, 'admin@example.com', 'correct horse battery');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...steps), { minLength: 4, maxLength: 10 }), async (order) => {
        const somebody = new Somebody(service, await registerUser(service), admin);
        for (const step of order) await somebody.take(step);
        await somebody.take('refresh');
      }),
      { numRuns: 4 },
    );
  });
});
