import { redeemCode } from '../authorize/redeem-code.ts';
import type { Grant } from '../grant.ts';
import { required, resourcesIn } from '../parameters.ts';

/** RFC 6749 4.1 with RFC 7636: a person has allowed it in the browser, and the application proves that it asked. */
export const authorizationCodeGrant: Grant = {
  type: 'authorization_code',
  clientTypes: ['application'],
  async issue(oauth, { client, parameters, source, countAs, jkt }) {
    const code = required(parameters, 'code');
    const redirectUri = required(parameters, 'redirect_uri');
    const codeVerifier = parameters.get('code_verifier');
    const resource = resourcesIn(parameters);
    const redeemed = await redeemCode(oauth, { client, code, redirectUri, codeVerifier, resource, source, jkt });
    countAs?.(redeemed.session.id);
    const { session, durable, scopes } = redeemed;
    const asked = JSON.parse(redeemed.code.asked) as string[];
    return { session, durable, scopes, asked, nonce: redeemed.code.nonce ?? undefined };
  },
};
