import type { Context } from '../../../src/database/context.ts';
import type { KeyRing } from '../../../src/database/keys/key-ring.ts';
import type { ForwardedParameters, ProviderClient } from '../client/provider-client.ts';
import { type Attempt, fingerprint, insertAttempt, randomHandle } from './attempt-store.ts';

const lifetimeMs = 10 * 60_000;

/** A sign-in at a provider that is about to begin. */
export interface NewAttempt {
  readonly purpose: Attempt['purpose'];
  /** The cookie of the browser. Only this browser can complete the sign-in. */
  readonly visitor: string;
  readonly userId?: string | null;
  readonly sessionId?: string | null;
  readonly client?: string | undefined;
  readonly next?: string | undefined;
  /** The id of the mailed link, if an invitation is being accepted. */
  readonly invitation?: string | undefined;
  readonly forwarded: ForwardedParameters;
}

type Macs = Pick<KeyRing, 'macKeys' | 'ensureCurrent'>;

/** `nonce` and the PKCE verifier are derived from `state` and a server key, so that nothing usable is stored. */
export async function bindingOf({ config }: Pick<Context, 'config'>, keys: Macs, provider: string, state: string) {
  await keys.ensureCurrent();
  return {
    redirectUri: callbackOf(config, provider),
    state,
    nonce: keys.macKeys.mac('provider nonce', state),
    verifier: keys.macKeys.mac('provider verifier', state),
  };
}

/** The redirect URI that the operator registers at the provider. */
export const callbackOf = ({ baseUrl }: Context['config'], provider: string): string =>
  `${baseUrl.replace(/\/$/, '')}/login/with/${provider}/callback`;

/** Stores the attempt and returns the address for the browser. Each tab has its own attempt. */
export async function beginAttempt(
  context: Context,
  keys: Macs,
  provider: ProviderClient,
  { purpose, visitor, userId = null, sessionId = null, client, next, invitation, forwarded }: NewAttempt,
): Promise<URL> {
  const { name } = provider.definition;
  const state = randomHandle();
  const binding = await bindingOf(context, keys, name, state);
  const url = await provider.authorizationUrl(binding, forwarded);
  const now = context.now();
  await insertAttempt(context.database.db, {
    id: fingerprint(state),
    provider: name,
    purpose,
    visitor: fingerprint(visitor),
    user_id: userId,
    session_id: sessionId,
    client: client ?? null,
    next: next ?? null,
    invitation: invitation ?? null,
    max_age: forwarded.maxAge ?? null,
    created_at: now,
    expires_at: now + lifetimeMs,
  });
  return url;
}
