import { isIP, isIPv6 } from 'node:net';
import { cores, flag, integer, list, Setting, text } from './setting.ts';

const isOrigin = (value: string): boolean => URL.parse(value)?.origin === value;

/** The URL parser rejects or rewrites invalid IPv4 addresses, such as `999.1.1.1` and `10.1`. */
const isHost = (value: string): boolean =>
  /^[\w.:-]+$/.test(value) && (isIPv6(value) || URL.parse(`http://${value}`)?.hostname === value.toLowerCase());

/** An address or a range, in the form that Fastify takes. */
const isAddressRange = (item: string): boolean => {
  const [address = '', bits, ...rest] = item.split('/');
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (maxBits === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= maxBits);
};
const flagWords = ['true', 'false'];
const namedRanges = ['loopback', 'linklocal', 'uniquelocal'];

const trustProxy = list<string>(
  [],
  'a list of IP addresses, CIDR ranges, loopback, linklocal or uniquelocal (or true to trust every address, false to trust none)',
  (item) => flagWords.includes(item) || namedRanges.includes(item) || isAddressRange(item),
  (items) => items.length < 2 || !items.some((item) => flagWords.includes(item)),
);

/** Address, proxies, CORS and limits. */
export const networkSettings = {
  host: text('127.0.0.1', 'a host name or an IP address', isHost).describe('the address to listen on'),
  port: integer(3000, 0, 65_535).describe('the port to listen on. 0 picks a free port'),
  baseUrl: text(
    '',
    'an http or https URL without a query, such as https://auth.example.com',
    (url) => /^https?:\/\/[^\s?#/]+(\/[^\s?#]*[^\s?#/])?$/.test(url) && URL.canParse(url),
  ).describe('the public URL of the service. It is the issuer (`iss`) of all tokens'),
  securityContact: list<string>([], 'a list of addresses that begin with mailto:, https: or tel:', (item) =>
    /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\S+)$/.test(item),
  ).describe(
    'the contact for reports of security problems. /.well-known/security.txt shows it (RFC 9116). Unset: the file does not exist',
  ),
  trustProxy: new Setting<readonly string[], boolean>([], trustProxy.expected, (value) =>
    trustProxy.parse(typeof value === 'boolean' ? String(value) : value),
  ).describe('the reverse proxies whose X-Forwarded-* headers the service trusts'),
  corsOrigins: list<string>([], 'a list of origins such as https://app.example.com', isOrigin).describe(
    'the origins whose browser applications may call the API (CORS)',
  ),
  outboundPrivateAddresses: flag(false).describe(
    'whether the service sends requests to private addresses that a user or an application has registered, for example for webhooks and back-channel logout',
  ),
  forceAcceptHeader: flag(true).describe('whether requests under /v1 must send an Accept header that allows JSON'),
  rateLimit: integer(600, 0, 10_000_000).describe(
    'the number of requests that one caller can send in a minute. 0 turns the limit off',
  ),
  requestTimeout: integer(30, 1, 3600).describe(
    'the number of seconds in which a request must arrive completely, with its body',
  ),
  sendTimeout: integer(60, 1, 3600).describe(
    'the number of seconds after which the service disconnects a caller that reads its response too slowly (less than 1 KiB a second)',
  ),
  maxConnections: integer(15_000, 1, 1_000_000).describe('the number of connections that can be open at the same time'),
  workers: cores(1, 256).describe('the number of processes that serve requests on this machine'),
  drainSeconds: integer(5, 0, 3600).describe(
    'the number of seconds after SIGTERM in which /health/ready returns 503 and the service still responds to all other requests. If unset on SQLite, it is 0',
  ),
} as const;
