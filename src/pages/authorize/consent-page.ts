import { hash } from 'node:crypto';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { typeDescription } from '../../config/settings/authorization-details-types.ts';
import { isLoopbackHost } from '../../http/network-of.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { AuthorizationRequest } from '../../oauth/authorize/authorization-request.ts';
import type { StoredClient } from '../../oauth/clients/client-store.ts';
import { openidScope } from '../../oauth/clients/scopes/scopes.ts';
import type { PageKit } from '../kit/page-request.ts';

/** The variables of the consent page: the application with its host and owner, because a name alone can be faked, and the scopes. */
export async function showConsent(
  kit: PageKit,
  { client, redirectUri, authorizationDetails = [] }: AuthorizationRequest,
  scopes: readonly string[],
) {
  return {
    application: {
      name: client.name,
      // The logo of an unverified application could be an imitation.
      logo: client.registration === null ? client.logo_uri : null,
      // The link must not lead to another host than the page shows.
      homepage: client.registration === null ? client.homepage_uri : null,
      host: hostOfClient(client),
      owner: await ownerOfClient(kit, client),
      // It registered itself, or a client document describes it. It is unverified.
      unknown: client.registration !== null,
      links: linksOf(client, redirectUri),
    },
    returnHost: hostOf(redirectUri),
    // A sign-in always needs `openid`.
    scopes: scopes.map((name) => ({ name, text: kit.oauth.scopes.describe(name), fixed: name === openidScope })),
    // Shown literally, because the text of the type names only their kind.
    details: authorizationDetails.map(({ type, ...members }) => ({
      text: typeDescription(kit.config.authorizationDetailsTypes[type] ?? type),
      members: Object.entries(members).map(([name, value]) => ({ name, value: textOf(value) })),
    })),
  };
}

/** A text unchanged, a list of texts separated by commas, other values as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

/** A hash of everything that the page showed. A changed application is shown again. */
export const consentDigest = (consent: Awaited<ReturnType<typeof showConsent>>): string =>
  hash('sha256', JSON.stringify(consent), 'base64url');

/** A client with a document is at the host of its id. A client that registered itself may name any homepage: it is unverified. */
export function hostOfClient({ id, registration, homepage_uri }: StoredClient): string | null {
  const hostUri = registration === 'document' ? id : registration === null ? homepage_uri : null;
  return hostUri === null ? null : new URL(hostUri).host;
}

/** The user who created the application. Then its name is unverified. Null: the operator's application, or one without an owner. */
export async function ownerOfClient({ database }: PageKit, { userId }: StoredClient): Promise<LocalizedText | null> {
  return userId === null ? null : ownerText(await findUser(database.db, userId));
}

/**
 * The addresses of the terms, the privacy policy and the logo. For an application that registered itself, only addresses at a host that the
 * page shows anyway: with another host, it could imitate another application (OpenID Connect Dynamic Client Registration 9.1).
 */
function linksOf(client: StoredClient, redirectUri: string) {
  const isSelfRegistered = client.registration !== null;
  const hosts = [hostOf(redirectUri), hostOfClient(client)];
  return [
    { text: message('authorize.terms'), uri: client.tos_uri },
    { text: message('authorize.privacy'), uri: client.policy_uri },
    // The logo of a known application is shown as an image.
    { text: message('authorize.logo'), uri: isSelfRegistered ? client.logo_uri : null },
  ].flatMap(({ text, uri }) => {
    if (uri === null) return [];
    const { host } = new URL(uri);
    return isSelfRegistered && !hosts.includes(host) ? [] : [{ text, uri, host }];
  });
}

/** Null: a program on the user's device. */
function hostOf(redirectUri: string): string | null {
  const { protocol, host, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && !isLoopbackHost(hostname) ? host : null;
}

/** Enough to distinguish owners, without a complete address. */
function ownerText(owner: { name: string | null; username: string | null; email: string | null } | undefined) {
  const { name, username, email } = owner ?? { name: null, username: null, email: null };
  const address = email?.replace(/^(.).*@/u, '$1…@');
  const names = [name, username].filter(Boolean).join(', ');
  return names && address ? `${names} (${address})` : names || address || message('authorize.owner_unknown');
}
