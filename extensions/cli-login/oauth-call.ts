import { UsageError } from '../../src/cli/terminal/usage-error.ts';
import { isLoopbackHost } from '../../src/http/network-of.ts';
import { cliClientId } from '../../src/oauth/clients/cli-client.ts';
import { OperatorError } from '../../src/platform/errors.ts';
import { asObject } from '../../src/platform/is-object.ts';

const timeoutMs = 30_000;

export type OAuthResponse = Awaited<ReturnType<typeof callOAuth>>;

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
