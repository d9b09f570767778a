import { hash } from 'node:crypto';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { typeDescription } from '../../config/settings/authorization-details-types.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { AuthorizationRequest } from '../../oauth/authorize/authorization-request.ts';
import type { StoredClient } from '../../oauth/clients/client-store.ts';
import { openidScope } from '../../oauth/clients/scopes/scopes.ts';
import type { PageKit } from '../kit/page-request.ts';

/** Describes a scope for users. */
export type DescribeScope = (scope: string) => LocalizedText;

/** The application and the scopes on the consent page. */
export interface ConsentVariables {
  readonly application: {
    readonly name: string;
    readonly logo: string | null;
    readonly homepage: string | null;
    /** The host of the homepage: the part that cannot be faked. */
    readonly host: string | null;
    /** Null: the operator's application, or one without an owner. */
    readonly owner: LocalizedText | null;
    /** The application registered itself, or a client document describes it. It is unverified. */
    readonly unknown: boolean;
    readonly links: readonly { readonly text: LocalizedText; readonly uri: string; readonly host: string }[];
  };
  /** The host of the redirect URI. Null: a program on the user's device. */
  readonly returnHost: string | null;
  readonly scopes: readonly { readonly name: string; readonly text: LocalizedText; readonly fixed: boolean }[];
  /** The requested authorization details, shown literally, because the text of the type names only their kind. */
  readonly details: readonly {
    readonly text: string;
    readonly members: readonly { readonly name: string; readonly value: string }[];
  }[];
}

/** The application with its host and owner: a name alone can be faked. */
export async function showConsent(
  kit: PageKit,
  { client, redirectUri, authorizationDetails = [] }: AuthorizationRequest,
  scopes: readonly string[],
  describe: DescribeScope,
): Promise<ConsentVariables> {
  return {
    application: {
      name: client.name,
      // The logo of an unverified application could be an imitation.
      logo: client.registration === null ? client.logoUri : null,
      // The link must not lead to another host than the page shows.
      homepage: client.registration === null ? client.homepageUri : null,
      host: hostOfClient(client),
      owner: await ownerOfClient(kit, client),
      unknown: client.registration !== null,
      links: linksOf(client, redirectUri),
    },
    returnHost: hostOf(redirectUri),
    // A sign-in always needs `openid`.
    scopes: scopes.map((name) => ({ name, text: describe(name), fixed: name === openidScope })),
    details: authorizationDetails.map(({ type, ...members }) => ({
      text: typeDescription(kit.config.authorizationDetailsTypes[type] ?? type),
      members: Object.entries(members).map(([name, value]) => ({ name, value: textOf(value) })),
    })),
  };
}

/** A text unchanged, a list of texts separated by commas, other values as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

/** A hash of everything that the page showed. A changed application is shown again. */
export const consentDigest = (shown: ConsentVariables): string => hash('sha256', JSON.stringify(shown), 'base64url');

/** A client with a document is at the host of its id. A client that registered itself may name any homepage: it is unverified. */
export function hostOfClient({ id, registration, homepageUri }: StoredClient): string | null {
  const from = registration === 'document' ? id : registration === null ? homepageUri : null;
  return from === null ? null : new URL(from).host;
}

/** The user who created the application, if any. Then its name is unverified. */
export async function ownerOfClient({ database }: PageKit, { userId }: StoredClient): Promise<LocalizedText | null> {
  return userId === null ? null : ownerText(await findUser(database.db, userId));
}

/**
 * The addresses of the terms, the privacy policy and the logo. For an application that registered itself, only
 * addresses at a host that the page shows anyway: with another host, it could imitate another application (OpenID
 * Connect Dynamic Client Registration 9.1).
 */
function linksOf(client: StoredClient, redirectUri: string): ConsentVariables['application']['links'] {
  const isUnknown = client.registration !== null;
  const hosts = [hostOf(redirectUri), hostOfClient(client)];
  return [
    { text: message('authorize.terms'), uri: client.tosUri },
    { text: message('authorize.privacy'), uri: client.policyUri },
    // The logo of a known application is shown as an image.
    { text: message('authorize.logo'), uri: isUnknown ? client.logoUri : null },
  ].flatMap(({ text, uri }) => {
    if (uri === null) return [];
    const { host } = new URL(uri);
    return isUnknown && !hosts.includes(host) ? [] : [{ text, uri, host }];
  });
}

const loopback = ['127.0.0.1', '[::1]', 'localhost'];

function hostOf(redirectUri: string): string | null {
  const { protocol, host, hostname } = new URL(redirectUri);
  return /^https?:$/.test(protocol) && !loopback.includes(hostname) ? host : null;
}

/** Enough to distinguish owners, without a complete address. */
function ownerText(
  owner: { name: string | null; username: string | null; email: string | null } | undefined,
): LocalizedText {
  const { name, username, email } = owner ?? { name: null, username: null, email: null };
  const address = email?.replace(/^(.).*@/u, '$1…@');
  const who = [name, username].filter(Boolean).join(', ');
  return who && address ? `${who} (${address})` : who || address || message('authorize.owner_unknown');
}
