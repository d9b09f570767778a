import { SignedOutError } from '../../../client/errors.ts';
import type { Renew, TokenResponse } from '../../../client/login.ts';
import { Listeners } from '../data/listeners.ts';
import { translate } from '../text/translate.ts';

/** Handles a session that ends while a person is working. Requests wait until the person has signed in again, and then continue. */
export class Interruption {
  #waiting: PromiseWithResolvers<TokenResponse> | undefined;
  #isOpen = false;
  readonly #renew: Renew;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.add;

  constructor(renew: Renew) {
    this.#renew = renew;
  }

  /** Whether the person has to sign in again. */
  readonly isOn = (): boolean => this.#waiting !== undefined;

  /** From now on, a dialog asks for a new sign-in. Returns a function that ends this. */
  readonly begin = (): (() => void) => {
    this.#isOpen = true;
    return () => {
      this.#isOpen = false;
    };
  };

  /** Renews the token. If the session has ended, waits for a new sign-in. */
  readonly renew: Renew = async () => {
    try {
      return await this.#renew();
    } catch (error) {
      if (!this.#isOpen || !(error instanceof SignedOutError)) throw error;
      this.#waiting ??= Promise.withResolvers<TokenResponse>();
      this.#listeners.call();
      return this.#waiting.promise;
    }
  };

  /** After a sign-in: continues the waiting requests. Throws if there is no session. */
  readonly resume = async (): Promise<void> => {
    const tokens = await this.#renew();
    this.#waiting?.resolve(tokens);
    this.#end();
  };

  /** Without a sign-in: the waiting requests fail, and the console closes. */
  readonly abandon = (): void => {
    this.#waiting?.reject(new SignedOutError(translate('Your session is over.'), { status: 401, code: 'signed_out' }));
    this.#end();
  };

  #end(): void {
    this.#waiting = undefined;
    this.#listeners.call();
  }
}
