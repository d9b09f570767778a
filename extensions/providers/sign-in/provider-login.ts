import type { ProxiedClient } from '../../../src/config/config.ts';
import type { RequestSource } from '../../../src/http/request-source.ts';
import type { UserRow } from '../../../src/identity/accounts/user-store.ts';
import { requireConfirmed } from '../../../src/identity/credentials/check-credentials.ts';
import { invalidClient } from '../../../src/oauth/clients/client-rules.ts';
import { grantScopes } from '../../../src/oauth/clients/scopes/scopes.ts';
import type { Grant, OAuth } from '../../../src/oauth/oauth.ts';
import { amrOf, finishFirstStep, openLogin } from '../../../src/oauth/open-login.ts';
import { type IssuedTokens, issueTokens } from '../../../src/oauth/token-endpoint.ts';
import type { Acr } from '../../../src/platform/proof.ts';
import type { Upstream } from '../client/upstream.ts';

interface ProviderLogin {
  readonly proxied: ProxiedClient;
  readonly user: UserRow;
  readonly identityId: string;
  readonly upstream: Upstream;
  readonly source: RequestSource;
  /** The level that the application requires. */
  readonly level: { readonly acr_values?: Acr };
}

/** A provider login counts as one factor, unless the provider's declaration maps its `acr` to two. */
export async function logInByProvider(
  oauth: OAuth,
  { proxied, user, identityId, upstream, source, level }: ProviderLogin,
): Promise<IssuedTokens> {
  const { context, clients } = oauth;
  requireConfirmed(context, user);
  const client = await clients.find(proxied.id);
  if (client?.type !== 'password') throw invalidClient(`proxied client ${proxied.id} was deleted`, {});
  const grant: Grant = {
    type: 'urn:gatehouse:provider',
    clientTypes: ['password'],
    async issue(_, request) {
      const login = {
        user,
        scopes: grantScopes(oauth.scopes, '', client.scopes),
        resource: [],
        authTime: upstream.authTime ?? undefined,
        identity: { id: identityId, sid: upstream.sid },
      };
      const opened =
        upstream.factors === 2
          ? openLogin(oauth, request, { ...login, amr: [...amrOf.provider, 'mfa'] })
          : finishFirstStep(oauth, request, { ...login, firstMethod: 'provider' });
      return opened;
    },
  };
  const issued = await issueTokens(oauth, grant, { client, parameters: new Map(Object.entries(level)), source });
  context.metrics.logins.inc({ result: 'accepted' });
  return issued;
}
