import { localNow } from '../../src/cli/terminal/local-clock.ts';
import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { isLoopbackHost } from '../../src/http/network-of.ts';
import { cliClientId } from '../../src/oauth/clients/cli-client.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { asObject } from '../../src/platform/is-object.ts';
import type { StoredTokens } from './credentials-file.ts';

const timeoutMs = 30_000;

type OAuthResponse = Awaited<ReturnType<typeof callOAuth>>;

/** Calls an OAuth endpoint of a service with the client of the command line. */
export async function callOAuth(
  service: string,
  endpoint: 'device_authorization' | 'token' | 'revoke',
  parameters: Readonly<Record<string, string>>,
) {
  const response = await fetch(`${service}/oauth/${endpoint}`, {
    method: 'POST',
    redirect: 'error',
    headers: { accept: 'application/json', 'user-agent': 'gatehouse' },
    body: new URLSearchParams({ ...parameters, client_id: cliClientId }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: Error) => {
    throw new OperatorError(`${service} does not respond: ${reasonOf(error)}`);
  });
  const body = asObject(await response.json().catch(() => undefined));
  if (!response.ok && typeof body.error !== 'string') {
    throw new OperatorError(`${service} returned ${response.status} and is not a Gatehouse service. Check --url.`);
  }
  return {
    ok: response.ok,
    /** The error code of RFC 6749 5.2. Empty on success. */
    error: String(body.error ?? ''),
    description: String(body.error_description ?? body.error ?? ''),
    body,
  };
}

/** The message `fetch failed` says nothing. Its cause has the reason. */
const reasonOf = ({ message, cause }: Error): string => (cause instanceof Error ? cause.message || message : message);

/** The address of a service without a trailing slash. Tokens are sent only over https or to this machine. */
export function readServiceAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new UsageError('--url takes the address of a service, such as https://auth.example.com');
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw new UsageError(`--url: ${url.host} is another machine, and tokens are sent there only over https.`);
  }
  return url.href.replace(/\/+$/, '');
}

type DeviceAuthorization = Awaited<ReturnType<typeof requestDeviceAuthorization>>;

/** RFC 8628 3.1: the values that the command shows so that a user can approve it. */
export async function requestDeviceAuthorization(service: string, scope: string) {
  const { ok, description, body } = await callOAuth(service, 'device_authorization', { scope });
  if (!ok) throw new OperatorError(`${service} refused: ${description}`);
  return {
    deviceCode: String(body.device_code),
    userCode: String(body.user_code),
    address: String(body.verification_uri),
    addressWithCode: String(body.verification_uri_complete ?? body.verification_uri),
    expiresInSeconds: Number(body.expires_in),
    pollSeconds: Number(body.interval ?? 5),
  };
}

const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const sleep = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));

/** RFC 8628 3.4 and 3.5: polls until the user has decided. `wait` waits between two polls. */
export async function waitForTokens(
  service: string,
  scope: string,
  { deviceCode, pollSeconds, expiresInSeconds }: DeviceAuthorization,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<StoredTokens> {
  let seconds = pollSeconds;
  for (let waited = 0; waited <= expiresInSeconds; waited += seconds) {
    await wait(seconds * 1000);
    const response = await callOAuth(service, 'token', { grant_type: deviceCodeGrant, device_code: deviceCode });
    if (response.ok) return readTokens(response, scope);
    if (response.error === 'slow_down') seconds += 5;
    else if (response.error === 'access_denied') throw new OperatorError('The request was denied in the browser.');
    else if (response.error === 'expired_token') break;
    else if (!['authorization_pending', 'temporarily_unavailable'].includes(response.error)) {
      throw new OperatorError(`${service} refused: ${response.description}`);
    }
  }
  throw new OperatorError('Nobody entered the code in time. Start again: npx gatehouse-server login');
}

/** Reads the tokens of a response. `requested` is their scope unless the response names another. */
export const readTokens = ({ body }: OAuthResponse, requested: string): StoredTokens => ({
  accessToken: String(body.access_token),
  refreshToken: typeof body.refresh_token === 'string' ? body.refresh_token : undefined,
  expiresAt: localNow() + Number(body.expires_in) * 1000,
  scope: typeof body.scope === 'string' ? body.scope : requested,
});
