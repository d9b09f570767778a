import { hash, randomBytes } from 'node:crypto';
import { addLogin, password } from './accounts.ts';
import { type JsonResponse, request } from './request.ts';
import type { Service } from './service.ts';
import { type Visit, Visitor } from './visitor.ts';

export const redirectUri = 'https://app.example/callback';

export const verifier = randomBytes(32).toString('base64url');
export const challenge = hash('sha256', verifier, 'base64url');

type Parameters = Record<string, string | undefined>;

/** The URL of a valid authorization request, with the given parameters replaced. */
export function authorizePath(clientId: string, parameters: Parameters = {}): string {
  const all: Parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    ...parameters,
  };
  const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(sent)}`;
}

/** A user who is signed in in a browser. */
export async function signedIn(service: Service, options: { email?: string; roles?: string[]; name?: string } = {}) {
  const user = await addLogin(service, options);
  const visitor = new Visitor(service);
  await visitor.signIn(user.email, password);
  return { ...user, visitor };
}

const hidden = /<input type="hidden" name="(\w+)" value="([^"]*)">/g;
const ticked = /<input type="checkbox" id="[\w-]+" name="(scope:[^"]+)" checked>/g;

/** The form of a consent page with all ticked scopes. */
export function formOf({ html }: Visit): Record<string, string> {
  const fields = [...html.matchAll(hidden)].map(([, name, value]) => [name as string, value as string]);
  const scopes = [...html.matchAll(ticked)].map(([, name]) => [name as string, 'on']);
  return Object.fromEntries([...fields, ...scopes]) as Record<string, string>;
}

/** Presses a button of the page. `without`: boxes to untick first. */
export function press(
  visitor: Visitor,
  page: Visit,
  decision: string,
  { without = [] }: { without?: readonly string[] } = {},
): Promise<Visit> {
  const fields = formOf(page);
  for (const scope of without) delete fields[`scope:${scope}`];
  return visitor.send('/oauth/authorize/decision', { ...fields, decision });
}

/** The parameters of the response that the application gets in the redirect. */
export function authorizationResponseIn({ location }: Pick<Visit, 'location'>): Record<string, string> {
  if (location === null) return {};
  return Object.fromEntries(new URL(location).searchParams);
}

/** Sends the request, allows everything on the consent page, and returns the code. */
export async function codeFor(visitor: Visitor, clientId: string, parameters: Parameters = {}): Promise<string> {
  const first = await visitor.get(authorizePath(clientId, parameters));
  const last = first.status === 200 ? await press(visitor, first, 'allow') : first;
  const { code } = authorizationResponseIn(last);
  if (code === undefined) throw new Error(`no code: ${last.status} ${last.location} ${last.html}`);
  return code;
}

export interface TokenBody {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope?: string;
  readonly error?: string;
}

export const redeem = (
  service: { readonly url: string },
  client: { readonly id: string; readonly secret?: string },
  code: string,
  parameters: Parameters = {},
): Promise<JsonResponse<TokenBody>> => {
  const all: Parameters = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    client_id: client.id,
    client_secret: client.secret,
    ...parameters,
  };
  const sent = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return request<TokenBody>(service, '/oauth/token', { form: Object.fromEntries(sent) });
};
