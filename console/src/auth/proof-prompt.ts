import { Listeners } from '../data/listeners.ts';

/** Proofs of `POST /v1/sessions/current/proofs` that a person can type. */
const typed = ['password', 'code'];

/**
 * Asks for a proof of identity when the service requires a recent one (RFC 9470), and then repeats the request. Other rejected requests wait
 * for the same proof.
 */
export class ProofPrompt {
  #waiting: (PromiseWithResolvers<boolean> & { authorization: string }) | undefined;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.add;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  readonly isOpen = (): boolean => this.#waiting !== undefined;

  /** Sends a request. If it needs a recent proof, asks for the proof and repeats the request. */
  async send(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (response.status !== 401 || !challenge.includes('insufficient_user_authentication')) return response;
    if (await this.#ask(new Headers(init.headers).get('authorization') ?? '')) return this.send(url, init);
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
    if (response.ok) this.#end(true);
    return response.ok ? undefined : (await response.json()).detail;
  };

  readonly cancel = (): void => this.#end(false);

  #ask(authorization: string): Promise<boolean> {
    this.#waiting ??= { ...Promise.withResolvers<boolean>(), authorization };
    this.#listeners.call();
    return this.#waiting.promise;
  }

  #end(isProven: boolean): void {
    this.#waiting?.resolve(isProven);
    this.#waiting = undefined;
    this.#listeners.call();
  }

  #call(method: string, path: string, body?: object): Promise<Response> {
    const headers = {
      Accept: ['application/json', 'application/problem+json'].join(', '),
      Authorization: this.#waiting?.authorization ?? '',
      ...(body && { 'Content-Type': 'application/json' }),
    };
    return fetch(this.#root + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }
}
