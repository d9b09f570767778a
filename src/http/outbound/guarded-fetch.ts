import { type LookupAddress, type LookupAllOptions, lookup as lookUpInDns } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import type { Config } from '../../config/config.ts';
import { codeOf } from '../../platform/errors.ts';
import { ipv6Groups, isLoopbackHost } from '../network-of.ts';

const blockList = (...networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const range of networks) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIPv6(network) ? 'ipv6' : 'ipv4');
  }
  return list;
};
const contains = (list: BlockList, address: string): boolean => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** IANA's special-purpose networks, which contain no hosts of the public internet. */
const specialNetworks = blockList(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // IETF protocol assignments with Teredo, documentation and 6to4.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
);
/** The addresses that hosts get, and IPv4 addresses written as IPv6 (RFC 4291 2.5.5.2). */
const assignedNetworks = blockList('0.0.0.0/0', '2000::/3', '::ffff:0:0/96');
const nat64 = blockList('64:ff9b::/96');
const loopbackNetworks = blockList('127.0.0.0/8', '::1/128');

/** Whether outbound calls may connect to this address: it is not this machine, and not in a private network. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  // RFC 6052: the embedded address counts.
  if (contains(nat64, address)) {
    const [high = 0, low = 0] = ipv6Groups(address).slice(6);
    return isPublicAddress([high >> 8, high & 255, low >> 8, low & 255].join('.'));
  }
  return contains(assignedNetworks, address) && !contains(specialNetworks, address);
}

const isLoopbackAddress = (address: string): boolean => isIP(address) !== 0 && contains(loopbackNetworks, address);

/** Why a call to a URL from outside failed or was not made. The message may be logged. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
}

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole call, from the DNS lookup to the last byte. */
  readonly timeoutMs?: number;
  /** The limit for the response body. A longer one is an error, unless `truncate` is set: then the rest is not read. */
  readonly maxBytes?: number;
  readonly truncate?: boolean;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Calls a URL from outside, such as a client's. Never follows redirects: it returns them like any other response. */
export type GuardedFetch = (url: string, request?: OutboundRequest) => Promise<OutboundResponse>;

type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Protects against SSRF: connects only to public addresses, and checks the address at connection time (DNS rebinding).
 * OUTBOUND_PRIVATE_ADDRESSES allows every address. Loopback is allowed if BASE_URL is on loopback.
 */
export function createGuardedFetch(
  { baseUrl, outboundPrivateAddresses }: Pick<Config, 'baseUrl' | 'outboundPrivateAddresses'>,
  lookUp: Lookup = lookUpInDns,
  loopback: 'in development' | 'never' = 'in development',
): GuardedFetch {
  const allowsLoopback = loopback === 'in development' && isLoopbackHost(new URL(baseUrl).hostname);
  const mayConnect = (address: string): boolean =>
    outboundPrivateAddresses || isPublicAddress(address) || (allowsLoopback && isLoopbackAddress(address));
  const lookup = guardLookup(mayConnect, lookUp);

  return async (address, { method = 'GET', headers = {}, body, timeoutMs = 5000, ...limits } = {}) => {
    const url = readUrl(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Node does not look up a literal address, so it is checked here.
    if (isIP(host) !== 0 && !mayConnect(host)) throw notPublicError(host);
    const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    const options: RequestOptions = {
      method,
      // A small compressed response could expand without limit.
      headers: { 'accept-encoding': 'identity', ...headers, ...contentLength(body) },
      lookup,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    };
    return new Promise<OutboundResponse>((resolve, reject) => {
      const fail = (error: Error) => reject(toOutboundError(error, url.host));
      const outgoing = request(url, options, (response) => readResponse(response, limits).then(resolve, fail));
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  };
}

function readUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new OutboundError('it is not an http or https URL');
  if (url.username !== '' || url.password !== '') throw new OutboundError('the URL contains a user name or a password');
  return url;
}

const contentLength = (body: string | undefined) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

const notPublicError = (host: string) => new OutboundError(`${host} is not an address of the public internet`);

function toOutboundError(error: Error, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const isTimeout = error.name === 'TimeoutError' || error.name === 'AbortError';
  // The error for several refused addresses of a host has a code, but no message.
  const reason = isTimeout ? `${host} took too long` : `${host}: ${error.message || codeOf(error)}`;
  return new OutboundError(reason, { cause: error });
}

/** Rejects all addresses of a DNS response if one of them is not allowed: a mix of public and private addresses is suspicious. */
function guardLookup(mayConnect: (address: string) => boolean, lookUp: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => mayConnect(address)))
        return callback(notPublicError(hostname), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

async function readResponse(
  response: IncomingMessage,
  { maxBytes = 65_536, truncate = false }: Pick<OutboundRequest, 'maxBytes' | 'truncate'>,
): Promise<OutboundResponse> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    chunks.push(chunk);
    if (length <= maxBytes) continue;
    // Leaving the loop closes the connection.
    if (truncate) break;
    throw new OutboundError(`the response is longer than ${maxBytes} bytes`);
  }
  const body = Buffer.concat(chunks, Math.min(length, maxBytes));
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}
