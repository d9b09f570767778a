import { hash } from 'node:crypto';
import { type LocalizedText, message } from '../../config/languages/message.ts';
import { textOfType } from '../../config/settings/authorization-details-types.ts';
import { findUser } from '../../identity/accounts/user-store.ts';
import type { AuthorizationRequest } from '../../oauth/authorize/authorization-request.ts';
import type { StoredClient } from '../../oauth/clients/client-store.ts';
import { openidScope } from '../../oauth/clients/scopes/scopes.ts';
import type { PageKit } from '../kit/visit.ts';

/** A scope in words that people understand. */
export type DescribeScope = (scope: string) => LocalizedText;

/** The application and the scopes on the consent page. */
export interface Shown {
  readonly application: {
    readonly name: string;
    readonly logo: string | null;
    readonly homepage: string | null;
    /** The part of the homepage that cannot be made up. */
    readonly host: string | null;
    /** Null: the operator's own, or nobody's. */
    readonly owner: LocalizedText | null;
    /** Nobody here made it: it registered itself, or its own address describes it. */
    readonly unknown: boolean;
    readonly links: readonly { readonly text: LocalizedText; readonly uri: string; readonly host: string }[];
  };
  /** Where the person goes on to; null: to a program on their own device. */
  readonly returnHost: string | null;
  readonly scopes: readonly { readonly name: string; readonly text: LocalizedText; readonly fixed: boolean }[];
  /** The requested authorization details, shown literally, because the text of the type names only their kind. */
  readonly details: readonly {
    readonly text: string;
    readonly members: readonly { readonly name: string; readonly value: string }[];
  }[];
}

/** The application with its host and its owner: a name alone can be faked. */
export async function showConsent(
  kit: PageKit,
  { client, redirectUri, authorizationDetails = [] }: AuthorizationRequest,
  scopes: readonly string[],
  describe: DescribeScope,
): Promise<Shown> {
  return {
    application: {
      name: client.name,
      // Of nobody known, it could be anybody's.
      logo: client.registration === null ? client.logoUri : null,
      // A link under the host of one address must not lead to another.
      homepage: client.registration === null ? client.homepageUri : null,
      host: hostOfClient(client),
      owner: await ownerOfClient(kit, client),
      unknown: client.registration !== null,
      links: linksOf(client, redirectUri),
    },
    returnHost: hostOf(redirectUri),
    // Without knowing who somebody is, nobody can be signed in.
    scopes: scopes.map((name) => ({ name, text: describe(name), fixed: name === openidScope })),
    details: authorizationDetails.map(({ type, ...members }) => ({
      text: textOfType(kit.config.authorizationDetailsTypes[type] ?? type),
      members: Object.entries(members).map(([name, value]) => ({ name, value: textOf(value) })),
    })),
  };
}

/** A list of texts as people write one; anything else as it was sent. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return JSON.stringify(value);
}

/** A hash of what the user has seen. A changed application is shown again. */
export const digestOf = (shown: Shown): string => hash('sha256', JSON.stringify(shown), 'base64url');

/** A client that is known by its address is from there. One that registered itself may name any homepage: nobody checked it. */
export function hostOfClient({ id, registration, homepageUri }: StoredClient): string | null {
  const from = registration === 'document' ? id : registration === null ? homepageUri : null;
  return from === null ? null : new URL(from).host;
}

/** The user who made it, if any. Then nobody has verified its name. */
export async function ownerOfClient({ database }: PageKit, { userId }: StoredClient): Promise<LocalizedText | null> {
  return userId === null ? null : ownerText(await findUser(database.db, userId));
}

/**
 * The addresses of the terms, the privacy policy and the logo. If the application registered itself, only those at a host that
 * the page shows anyway: with any other host it could pass for somebody else (OpenID Connect Dynamic Client Registration 9.1).
 */
function linksOf(client: StoredClient, redirectUri: string): Shown['application']['links'] {
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

/** Enough to tell one owner from another, and no address to write to. */
function ownerText(
  owner: { name: string | null; username: string | null; email: string | null } | undefined,
): LocalizedText {
  const { name, username, email } = owner ?? { name: null, username: null, email: null };
  const address = email?.replace(/^(.).*@/u, '$1…@');
  const who = [name, username].filter(Boolean).join(', ');
  return who && address ? `${who} (${address})` : who || address || message('authorize.owner_unknown');
}
