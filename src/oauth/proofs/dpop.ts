import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../database/context.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import { withoutQuery } from '../../http/without-query.ts';
import { OAuthError, Problem } from '../../platform/errors.ts';
import { isObject } from '../../platform/is-object.ts';
import type { StoredClient } from '../clients/client-store.ts';
import { algorithmsOf, isSignedBy, readJws, thumbprint } from './client-jws.ts';
import { consumeProof } from './used-proof-store.ts';

/** A request that may carry a DPoP proof. */
export interface DpopRequest {
  readonly method: string;
  /** The path, with or without its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** RFC 9449 10.1: the key in `dpop_jkt`, or the key of the proof of a pushed request. If both are present, they must match. */
export function resolveJkt(dpopJkt: string | undefined, proofJkt: string | undefined): string | undefined {
  if (dpopJkt !== undefined && !/^[\w-]{43}$/.test(dpopJkt)) {
    throw new OAuthError('invalid_request', 'dpop_jkt takes the SHA-256 thumbprint of a key in base64url.');
  }
  if (dpopJkt !== undefined && proofJkt !== undefined && dpopJkt !== proofJkt) {
    throw new OAuthError('invalid_dpop_proof', 'dpop_jkt names a different key from the one of the DPoP proof.');
  }
  return dpopJkt ?? proofJkt;
}

export const dpopProofRequired = (description: string) => new OAuthError('invalid_dpop_proof', description);

const slotMs = 300_000;
const purpose = 'DPoP nonce';

/** RFC 9449. Nonces are MACs of the time, so that all instances accept them and none is stored. */
export class Dpop {
  readonly #context: Context;
  readonly #keys: KeyRing;

  constructor(context: Context, keys: KeyRing) {
    this.#context = context;
    this.#keys = keys;
  }

  nonce(slot = Math.floor(this.#context.now() / slotMs)): string {
    return `${slot}.${this.#keys.macKeys.mac(purpose, String(slot))}`;
  }

  #isNonce(nonce: unknown): boolean {
    const [, slot, mac] = typeof nonce === 'string' ? (/^(\d{1,12})\.([\w-]{43})$/.exec(nonce) ?? []) : [];
    if (slot === undefined || mac === undefined) return false;
    const age = Math.floor(this.#context.now() / slotMs) - Number(slot);
    return (age === 0 || age === 1) && this.#keys.macKeys.matches(purpose, slot, mac);
  }

  /** The thumbprint of the key in the proof of a token request. Undefined without a proof. */
  async atTokenEndpoint(request: DpopRequest, client: Pick<StoredClient, 'fapi'>): Promise<string | undefined> {
    if (request.headers.dpop === undefined) return undefined;
    const checked = await this.#check(request, undefined, algorithmsOf(client));
    if (typeof checked === 'object') return checked.jkt;
    const description =
      checked === 'use_dpop_nonce' ? 'Send the nonce of the header DPoP-Nonce.' : 'The DPoP proof is not valid.';
    throw new OAuthError(checked, description, { headers: { 'DPoP-Nonce': this.nonce() } });
  }

  /** Throws unless the request proves possession of the key that the access token is bound to (7.1). */
  async atResource(request: DpopRequest, token: string, jkt: string): Promise<void> {
    const isDpop = /^dpop /i.test(request.headers.authorization ?? '');
    const checked = isDpop ? await this.#check(request, token) : 'invalid_dpop_proof';
    if (typeof checked === 'object' && checked.jkt === jkt) return;
    const error = typeof checked === 'object' ? 'invalid_dpop_proof' : checked;
    throw new Problem(401, 'Unauthorized', 'The access token is bound to a key: send a valid DPoP proof with it.', {
      code: 'token_malformed',
      headers: {
        'WWW-Authenticate': `DPoP error="${error}", algs="ES256 EdDSA PS256 RS256"`,
        'DPoP-Nonce': this.nonce(),
      },
    });
  }

  /** The checks of RFC 9449 4.3. The nonce limits the age of a proof. A proof works once, across all instances. */
  async #check({ method, url, headers }: DpopRequest, token: string | undefined, algorithms?: readonly string[]) {
    await this.#keys.ensureCurrent();
    const proof = headers.dpop;
    const jws = typeof proof === 'string' ? readJws(proof) : undefined;
    const jwk = jws?.header.jwk;
    const jkt = isObject(jwk) ? thumbprint(jwk) : undefined;
    if (!jws || !isObject(jwk) || jkt === undefined || jws.header.typ !== 'dpop+jwt') return 'invalid_dpop_proof';
    if (!isSignedBy(jws, jwk, algorithms)) return 'invalid_dpop_proof';
    const { htm, htu, iat, jti, nonce, ath } = jws.claims;
    if (htm !== method || !this.#isUrlOfRequest(htu, url)) return 'invalid_dpop_proof';
    if (typeof iat !== 'number' || typeof jti !== 'string') return 'invalid_dpop_proof';
    if (token !== undefined && ath !== hash('sha256', token, 'base64url')) return 'invalid_dpop_proof';
    if (!this.#isNonce(nonce)) return 'use_dpop_nonce';
    const { database, now } = this.#context;
    const isFirst = await consumeProof(database.db, `dpop\n${jkt}\n${jti}`, now() + 2 * slotMs);
    return isFirst ? { jkt } : 'invalid_dpop_proof';
  }

  #isUrlOfRequest(htu: unknown, url: string): boolean {
    const htuUrl = typeof htu === 'string' ? URL.parse(htu) : null;
    if (!htuUrl) return false;
    const { baseUrl } = this.#context.config;
    const path = withoutQuery(url);
    const acceptedUrls = [`${baseUrl}${path}`, `${new URL(baseUrl).origin}${path}`];
    return acceptedUrls.some((acceptedUrl) => URL.parse(acceptedUrl)?.href === `${htuUrl.origin}${htuUrl.pathname}`);
  }
}
