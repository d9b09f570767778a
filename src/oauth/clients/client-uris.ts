import type { Config } from '../../config/config.ts';
import { isLoopbackHost } from '../../http/network-of.ts';

/** RFC 8252 7.3 and 8.3: names of this machine that need no TLS, in the spelling of `URL`. */
const hostsWithoutTls = ['localhost', '127.0.0.1', '[::1]'];

/** Whether this service may call its own machine: in development, or if the operator allows it. */
export const mayCallLoopback = (config: Pick<Config, 'baseUrl' | 'outboundPrivateAddresses'>): boolean =>
  config.outboundPrivateAddresses || isLoopbackHost(new URL(config.baseUrl).hostname);

/** `message` is the end of a sentence that begins with the URI. */
type UriError = { readonly code: string; readonly message: string };

const maxUriLength = 2000;
const uriError = (code: string, message: string): UriError => ({ code, message });

/** RFC 8252 7.1: a domain of the application in reverse order, so that no other application claims the scheme. */
const privateScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\//;
/** Redirect schemes of editors. Another program may claim such a scheme, but PKCE makes the code useless to it. */
const editorScheme = /^(cursor|vscode|vscode-insiders|jetbrains):\/\/[a-z0-9]/;
/** An encoded slash, backslash or control character. Some parsers decode it in the path. */
const encodedSeparator = /%(2f|5c|0[0-9a-f]|1[0-9a-f]|7f)/i;

/** Rejects URIs with more than one spelling: they are compared literally, and all parsers must see the same host. */
export function checkRedirectUri(uri: string): UriError | undefined {
  const parsed = readUri(uri);
  if ('code' in parsed) return parsed;
  const { protocol, hostname } = parsed;
  if (protocol === 'https:') return undefined;
  if (protocol === 'http:') {
    if (hostsWithoutTls.includes(hostname)) return undefined;
    return uriError('insecure', 'must use https: only localhost, 127.0.0.1 and [::1] may use http');
  }
  if (privateScheme.test(uri) || editorScheme.test(uri)) return undefined;
  return uriError('scheme', 'must use https or a private scheme with a dot, such as com.example.app:/callback');
}

/** For URIs that this service or a browser calls. `allowLoopback`: http to this machine is allowed. */
export function checkWebUri(uri: string, { allowLoopback = false } = {}): UriError | undefined {
  const parsed = readUri(uri);
  if ('code' in parsed) return parsed;
  if (parsed.protocol === 'https:') return undefined;
  if (allowLoopback && parsed.protocol === 'http:' && hostsWithoutTls.includes(parsed.hostname)) return undefined;
  return uriError('insecure', 'must use https');
}

function readUri(uri: string): URL | UriError {
  if (uri.length > maxUriLength) return uriError('maxLength', `must have at most ${maxUriLength} characters`);
  if (!/^[\x21-\x7e]+$/.test(uri)) return uriError('characters', 'must contain only ASCII characters and no spaces');
  if (/[\\"<>^`{|}]/.test(uri)) return uriError('characters', 'contains a character that a URI does not allow');
  if (uri.includes('*')) return uriError('wildcard', 'must not contain a wildcard (*)');
  if (uri.includes('#')) return uriError('fragment', 'must not contain a fragment (#)');
  if (!URL.canParse(uri)) return uriError('format', 'must be an absolute URI');
  const url = new URL(uri);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (url.username !== '' || url.password !== '' || /^[^/?]*\/\/[^/?]*@/.test(uri)) {
    return uriError('userinfo', 'must not contain a user name or a password');
  }
  if (encodedSeparator.test(url.pathname) || /%(0[0-9a-f]|1[0-9a-f]|7f)/i.test(url.search)) {
    return uriError('characters', 'contains an encoded slash, backslash or control character');
  }
  // Other spellings: upper case, the default port, dots in the path, unusual forms of an IP address.
  if (url.href !== uri && !(isWeb && url.href === `${uri}/`)) {
    return uriError('normal_form', `must be in its normal form, ${url.href}`);
  }
  return url;
}

/** RFC 8252 7.3: an address of the loopback interface. `localhost` is a name, not an address (8.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?(?=[/?]|$)/;

/** Characters that a Location header can contain unchanged. A fragment is not allowed (RFC 6749 3.1.2). */
const headerSafe = /^[\x21-\x7e]+$/;

/** The loopback address without its port. Undefined if the URI is not a loopback address. */
function withoutPort(uri: string): string | undefined {
  const match = loopback.exec(uri);
  if (!match || Number(match[2] ?? 80) > 65_535) return undefined;
  return `${match[1]}${uri.slice(match[0].length)}`;
}

/** Compares literally with the registered URIs, without decoding. A loopback address may have any port. */
export function isRegisteredRedirectUri(registered: readonly string[], uri: string): boolean {
  if (!headerSafe.test(uri) || uri.includes('#')) return false;
  if (registered.includes(uri)) return true;
  const portlessUri = withoutPort(uri);
  return portlessUri !== undefined && registered.some((registeredUri) => withoutPort(registeredUri) === portlessUri);
}

/** RFC 8252 7.1 and 7.3: a private-use scheme or a loopback address. Any program on the device can receive these redirects. */
export function isNativeRedirect(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  if (protocol !== 'http:' && protocol !== 'https:') return true;
  return protocol === 'http:' && isLoopbackHost(hostname);
}

const maxIdLength = 512;

/** draft-ietf-oauth-client-id-metadata-document 3: one spelling per URL. Rejects dots, userinfo and fragments. */
export const isDocumentId = (id: string): boolean =>
  id.startsWith('https://') &&
  id.length <= maxIdLength &&
  checkWebUri(id) === undefined &&
  // The parser adds a missing path.
  new URL(id).href === id;

type Settings = Pick<Config, 'clientDocuments' | 'dynamicClients'>;

export const clientDocumentsEnabled = ({ clientDocuments, dynamicClients }: Settings): boolean =>
  clientDocuments === 'on' || (clientDocuments === 'auto' && dynamicClients === 'open');

/** Whether this is the address of a client document, and client documents are enabled. */
export const isClientDocument = (config: Settings, id: string): boolean =>
  clientDocumentsEnabled(config) && isDocumentId(id);
