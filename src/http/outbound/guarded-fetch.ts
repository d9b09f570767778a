import { lookup as lookUpInDns } from 'node:dns';
import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import type { Config } from '../../config/config.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

/** Why an address that somebody else gave was not called, or did not answer as it must. Fit for a log. */
export class OutboundError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutboundError';
  }
}

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For the whole of it, from the name's look-up to the last byte. */
  readonly timeoutMs?: number;
  /** Of the answer's body; a longer one is an error. */
  readonly maxBytes?: number;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Calls an address that somebody else gave. A redirect is an answer like any other: nobody follows it. */
export type GuardedFetch = (url: string, request?: OutboundRequest) => Promise<OutboundAnswer>;

type Lookup = typeof lookUpInDns;

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Makes requests that lead out of the operator's network and not into it: what is checked is the very address that the
 * socket then connects to, so a name whose answers change gains nothing. A service that itself is reached by loopback may
 * call there: it runs on a developer's machine. `never`: not even then.
 */
export function createGuardedFetch(
  { baseUrl, outboundPrivateAddresses }: Pick<Config, 'baseUrl' | 'outboundPrivateAddresses'>,
  lookUp: Lookup = lookUpInDns,
  loopback: 'at home' | 'never' = 'at home',
): GuardedFetch {
  const atHome = loopback === 'at home' && loopbackHosts.has(new URL(baseUrl).hostname);
  const mayConnect = (address: string): boolean =>
    outboundPrivateAddresses || isPublicAddress(address) || (atHome && isLoopbackAddress(address));
  const lookup = guardLookup(mayConnect, lookUp);

  return async (address, { method = 'GET', headers = {}, body, timeoutMs = 5000, maxBytes = 65_536 } = {}) => {
    const url = readUrl(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // A literal address is never looked up.
    if (isIP(host) !== 0 && !mayConnect(host)) throw notOpen(host);
    const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    const options: RequestOptions = {
      method,
      // A compressed answer could be small on its way and endless when it is opened.
      headers: { 'accept-encoding': 'identity', ...headers, ...lengthOf(body) },
      lookup,
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
    };
    return new Promise<OutboundAnswer>((resolve, reject) => {
      const fail = (error: Error) => reject(errorOf(error, url.host));
      const sent = request(url, options, (answer) => readAnswer(answer, maxBytes).then(resolve, fail));
      sent.on('error', fail);
      sent.end(body);
    });
  };
}

function readUrl(address: string): URL {
  const url = URL.parse(address);
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new OutboundError('it is no http or https URL');
  if (url.username !== '' || url.password !== '') throw new OutboundError('the URL holds a user name or a password');
  return url;
}

const lengthOf = (body: string | undefined) =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };

const notOpen = (host: string) => new OutboundError(`${host} is not an address of the public internet`);

function errorOf(error: Error, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const isLate = error.name === 'TimeoutError' || error.name === 'AbortError';
  return new OutboundError(isLate ? `${host} took too long` : `${host}: ${error.message}`, { cause: error });
}

/** One forbidden address refuses the whole DNS answer: a mix of public and private addresses is suspicious. */
function guardLookup(mayConnect: (address: string) => boolean, lookUp: Lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => mayConnect(address))) return callback(notOpen(hostname), '');
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

async function readAnswer(answer: IncomingMessage, maxBytes: number): Promise<OutboundAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) throw new OutboundError(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}
