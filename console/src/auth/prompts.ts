import { SignedOutError } from '../../../client/errors.ts';
import type { Gatehouse } from '../../../client/gatehouse.ts';
import type { Renew, TokenResponse } from '../../../client/login.ts';
import { Listeners } from '../data/listeners.ts';
import { translate } from '../text/translate.ts';

/** A question to the person. All requests that need the answer wait for it. */
class Prompt<Answer> {
  #waiting: PromiseWithResolvers<Answer> | undefined;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.add;
  readonly isOpen = (): boolean => this.#waiting !== undefined;

  protected ask(): Promise<Answer> {
    this.#waiting ??= Promise.withResolvers<Answer>();
    this.#listeners.call();
    return this.#waiting.promise;
  }

  protected end(settle: (waiting: PromiseWithResolvers<Answer>) => void): void {
    if (this.#waiting) settle(this.#waiting);
    this.#waiting = undefined;
    this.#listeners.call();
  }
}

/** Handles a session that ends while a person is working. Requests wait until the person has signed in again, and then continue. */
export class SignInPrompt extends Prompt<TokenResponse> {
  #mayAsk = false;
  #logouts = 0;
  readonly #renew: Renew;

  constructor(renew: Renew) {
    super();
    this.#renew = renew;
  }

  /** From now on, a dialog asks for a new sign-in. Returns a function that ends this. */
  readonly begin = (): (() => void) => {
    this.#mayAsk = true;
    return () => {
      this.#mayAsk = false;
    };
  };

  /** Renews the token. If the session has ended, waits for a new sign-in. */
  readonly renew: Renew = async () => {
    try {
      return await this.#renew();
    } catch (error) {
      if (!this.#mayAsk || this.#logouts > 0 || !(error instanceof SignedOutError)) throw error;
      return this.ask();
    }
  };

  /** Logs out without the dialog. A new sign-in would start a session that the logout then ends. */
  async logOut(gatehouse: Pick<Gatehouse, 'logout'>): Promise<void> {
    this.#logouts++;
    try {
      await gatehouse.logout();
    } finally {
      this.#logouts--;
    }
  }

  /** After a sign-in: continues the waiting requests. Throws if there is no session. */
  readonly resume = async (): Promise<void> => {
    const tokens = await this.#renew();
    this.end(({ resolve }) => resolve(tokens));
  };

  /** Without a sign-in: the waiting requests fail, and the console closes. */
  readonly abandon = (): void =>
    this.end(({ reject }) =>
      reject(new SignedOutError(translate('Your session is over.'), { status: 401, code: 'signed_out' })),
    );
}

/** Proofs of `POST /v1/sessions/current/proofs` that a person can type. */
const typed = ['password', 'code'];

/**
 * Asks for a proof of identity when the service requires a recent one (RFC 9470), and then repeats the request. Other rejected requests wait
 * for the same proof.
 */
export class ProofPrompt extends Prompt<boolean> {
  readonly #root: string;
  #authorization = '';

  constructor(root: string) {
    super();
    this.#root = root;
  }

  /** Sends a request. If it needs a recent proof, asks for the proof and repeats the request. */
  async send(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (response.status !== 401 || !challenge.includes('insufficient_user_authentication')) return response;
    this.#authorization = new Headers(init.headers).get('authorization') ?? '';
    if (await this.ask()) return this.send(url, init);
    // A 401 would sign the person out, although the session is valid. Only this request is rejected.
    return new Response(await response.text(), { status: 403, headers: response.headers });
  }

  /** The proofs that the person can provide. */
  readonly methods = async (): Promise<string[]> => {
    const response = await this.#call('GET', '/v1/sessions/current');
    const { data }: { data?: { acr?: string; proof_methods?: string[] } } = await response.json();
    const offered = typed.filter((name) => data?.proof_methods?.includes(name));
    // In a session with two factors, the password is not enough as a new proof. The code alone is.
    if (offered.includes('code') && data?.acr !== 'urn:gatehouse:1') return ['code'];
    return offered.length > 0 ? offered : ['password'];
  };

  /** Renews the proof. Returns the reason if it is rejected. */
  readonly prove = async (proof: Record<string, unknown>): Promise<string | undefined> => {
    const response = await this.#call('POST', '/v1/sessions/current/proofs', proof);
    if (!response.ok) return (await response.json()).detail;
    this.end(({ resolve }) => resolve(true));
    return undefined;
  };

  readonly cancel = (): void => this.end(({ resolve }) => resolve(false));

  #call(method: string, path: string, body?: object): Promise<Response> {
    const headers = {
      Accept: ['application/json', 'application/problem+json'].join(', '),
      Authorization: this.#authorization,
      ...(body && { 'Content-Type': 'application/json' }),
    };
    return fetch(this.#root + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }
}
