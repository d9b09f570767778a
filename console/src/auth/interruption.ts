import { SignedOutError } from '../../../client/errors.ts';
import type { Renew, TokenAnswer } from '../../../client/login.ts';
import { say } from '../text/say.ts';

/**
 * A session that ended while somebody was at work. What they sent waits until they have signed in again, and then goes on
 * as if nothing had happened.
 */
export class Interruption {
  #waiting: PromiseWithResolvers<TokenAnswer> | undefined;
  #isOpen = false;
  readonly #renew: Renew;
  readonly #listeners = new Set<() => void>();

  constructor(renew: Renew) {
    this.#renew = renew;
  }

  /** Whether somebody has to sign in again. */
  readonly isOn = (): boolean => this.#waiting !== undefined;

  /** From now on there is work to lose, and a place for the dialog. Returns what ends this. */
  readonly begin = (): (() => void) => {
    this.#isOpen = true;
    return () => {
      this.#isOpen = false;
    };
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Renews the token; where only a new login helps, waits for it. */
  readonly renew: Renew = async () => {
    try {
      return await this.#renew();
    } catch (error) {
      if (!this.#isOpen || !(error instanceof SignedOutError)) throw error;
      this.#waiting ??= Promise.withResolvers<TokenAnswer>();
      this.#tell();
      return this.#waiting.promise;
    }
  };

  /** Somebody signed in: goes on with what waits. Throws where there is no session after all. */
  readonly goOn = async (): Promise<void> => {
    const tokens = await this.#renew();
    this.#waiting?.resolve(tokens);
    this.#end();
  };

  /** Nobody signs in: what waits fails, and the console is left. */
  readonly giveUp = (): void => {
    this.#waiting?.reject(new SignedOutError(say('Your session is over.'), { status: 401, code: 'signed_out' }));
    this.#end();
  };

  #end(): void {
    this.#waiting = undefined;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
