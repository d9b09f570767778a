import { maxRequestLength } from '../../oauth/authorize/authorization-parameters.ts';
import type { Progress } from '../../oauth/authorize/next-step.ts';
import type { Macs } from '../session/csrf.ts';

/** An authorization request on its way through other pages, as the application sent it, with the completed steps. */
export interface Continuation {
  readonly query: string;
  readonly progress: Progress;
}

export const continuePath = '/oauth/authorize/continue';

/** The lifetime of completed steps, in milliseconds. */
const lifetimeMs = 3_600_000;
const purpose = 'authorization request';

/** Carries requests through the login without storing them. A MAC prevents applications from forging a sign-in. */
export class Continuations {
  readonly #keys: Macs;
  readonly #now: () => number;

  constructor(keys: Macs, now: () => number) {
    this.#keys = keys;
    this.#now = now;
  }

  /** The form of a continuation in an address or in a form. */
  fields({ query, progress }: Continuation) {
    const since = String(progress.signInStartedAt ?? '');
    const chosen = progress.chosenSessionId ?? '';
    const mac = since || chosen ? this.#keys.macKeys.mac(purpose, signed(query, since, chosen)) : '';
    return { request: Buffer.from(query).toString('base64url'), since, chosen, mac };
  }

  path(continuation: Continuation): string {
    const fields = Object.entries(this.fields(continuation)).filter(([, value]) => value !== '');
    return `${continuePath}?${new URLSearchParams(fields)}`;
  }

  read(fields: Readonly<Record<string, string | undefined>>): Continuation | undefined {
    const { request = '', since = '', chosen = '', mac = '' } = fields;
    const query = Buffer.from(request, 'base64url').toString();
    if (query === '' || query.length > maxRequestLength) return undefined;
    if (!this.#keys.macKeys.matches(purpose, signed(query, since, chosen), mac)) return { query, progress: {} };
    const at = since === '' ? undefined : Number(since);
    const isFresh = at !== undefined && this.#now() - at < lifetimeMs;
    return { query, progress: { signInStartedAt: isFresh ? at : undefined, chosenSessionId: chosen || undefined } };
  }

  /** Reads the request that a local path leads to, if any. */
  readPath(path: string | undefined): Continuation | undefined {
    if (!path?.startsWith(`${continuePath}?`)) return undefined;
    return this.read(Object.fromEntries(new URLSearchParams(path.slice(continuePath.length + 1))));
  }
}

const signed = (query: string, since: string, chosen: string): string => `${since}\n${chosen}\n${query}`;
