import { isLoopbackHost } from '../../http/network-of.ts';

/** RFC 8252 7.3: an address of the loopback interface. `localhost` is a name, not an address (8.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?(?=[/?]|$)/;

/** Characters that a Location header can contain unchanged. A fragment is not allowed (RFC 6749 3.1.2). */
const sendable = /^[\x21-\x7e]+$/;

/** The loopback address without its port. Undefined if the URI is not a loopback address. */
function withoutPort(uri: string): string | undefined {
  const found = loopback.exec(uri);
  if (!found || Number(found[2] ?? 80) > 65_535) return undefined;
  return `${found[1]}${uri.slice(found[0].length)}`;
}

/** Compares literally with the registered URIs, without decoding. A loopback address may have any port. */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  if (!sendable.test(uri) || uri.includes('#')) return false;
  if (registered.includes(uri)) return true;
  const local = withoutPort(uri);
  return local !== undefined && registered.some((known) => withoutPort(known) === local);
}

/** RFC 8252 7.1 and 7.3: a private-use scheme or a loopback address. Any program on the device can receive these redirects. */
export function isNativeRedirect(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  if (protocol !== 'http:' && protocol !== 'https:') return true;
  return protocol === 'http:' && isLoopbackHost(hostname);
}
