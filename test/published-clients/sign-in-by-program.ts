import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { redirectUri, signedIn } from '../harness/authorizing.ts';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';

/** The redirect URI after a logout. */
export const home = 'https://app.example/signed-out';

interface Program {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

type Client = { readonly id: string; readonly secret?: string };

/** Runs a program that prints the authorization URL, reads the URL of the redirect back, and prints its result. */
export async function signInByProgram(service: Service, app: Client, { command, args = [], env = {} }: Program) {
  const person = await signedIn(service, { name: 'Ada Lovelace' });
  const child = spawn(command, [...args, service.url, app.id, app.secret ?? '', redirectUri], {
    env: { ...process.env, ...env },
  });
  let output = '';
  let complaint = '';
  let isSent = false;
  child.stdout.on('data', (chunk) => {
    output += chunk;
    const line = /^(.+)\n/.exec(output)?.[1];
    if (!line || isSent) return;
    isSent = true;
    const url = new URL(line);
    void person.visitor.get(url.pathname + url.search).then(({ location }) => child.stdin.end(`${location}\n`));
  });
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, complaint);
  return { ...person, result: JSON.parse(output.split('\n')[1] ?? '') };
}

type SignedIn = Awaited<ReturnType<typeof signInByProgram>>;

const refresh = (service: Service, { id, secret = '' }: Client, refresh_token: string) =>
  request(service, '/oauth/token', {
    form: { grant_type: 'refresh_token', refresh_token, client_id: id, client_secret: secret },
  });

/** Refreshes with the refresh token that the program printed. Returns the new tokens. */
export async function refreshed(service: Service, app: Client, signedIn: SignedIn): Promise<SignedIn> {
  const { status, body, text } = await refresh(service, app, signedIn.result.refresh_token);
  assert.equal(status, 200, text);
  return { ...signedIn, result: { ...signedIn.result, ...body } };
}

/**
 * Logs out with the ID token that the program printed. Afterwards the browser is signed out, and the refresh token is
 * invalid.
 */
export async function signOut(service: Service, app: Client, { visitor, result }: SignedIn): Promise<void> {
  const query = new URLSearchParams({ id_token_hint: result.id_token, post_logout_redirect_uri: home });
  assert.equal((await visitor.get(`/oauth/logout?${query}`)).location, home);
  assert.equal((await visitor.get('/settings')).status, 302);
  assert.equal((await refresh(service, app, result.refresh_token)).body.error, 'invalid_grant');
}
