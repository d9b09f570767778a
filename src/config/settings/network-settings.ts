import { isIP, isIPv6 } from 'node:net';
import { cores, flag, integer, list, type Setting, text, withCondition } from './setting.ts';

const isOrigin = (value: string): boolean => URL.parse(value)?.origin === value;

/** The URL parser rejects or rewrites invalid IPv4 addresses, such as `999.1.1.1` and `10.1`. */
const isHost = (value: string): boolean =>
  isIPv6(value) || URL.parse(`http://${value}`)?.hostname === value.toLowerCase();

/** An address or a range, in the form that Fastify takes. */
const isAddressRange = (item: string): boolean => {
  const [address = '', bits, ...rest] = item.split('/');
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (maxBits === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= maxBits);
};
const flagWords = ['true', 'false'];
const namedRanges = ['loopback', 'linklocal', 'uniquelocal'];

/** The same list, or `true` and `false` alone. */
const acceptFlag = (setting: Setting<readonly string[]>): Setting<readonly string[], boolean> => {
  const listOrFlag = withCondition(
    setting,
    (items) => items.length < 2 || !items.some((item) => flagWords.includes(item)),
  );
  return { ...listOrFlag, parse: (value) => listOrFlag.parse(typeof value === 'boolean' ? String(value) : value) };
};

/** Address, proxies, CORS and limits. */
export const networkSettings = {
  host: withCondition(
    text('HOST', '127.0.0.1', 'the address to listen on', {
      expected: 'a host name or an IP address',
      pattern: /^[\w.:-]+$/,
    }),
    isHost,
  ),
  port: integer('PORT', 3000, 'the port to listen on. 0 picks a free port', 0, 65_535),
  baseUrl: withCondition(
    text('BASE_URL', '', 'the public URL of the service. It is the issuer (`iss`) of all tokens', {
      expected: 'an http or https URL without a query, such as https://auth.example.com',
      pattern: /^https?:\/\/[^\s?#/]+(\/[^\s?#]*[^\s?#/])?$/,
    }),
    URL.canParse,
  ),
  securityContact: list<string>(
    'SECURITY_CONTACT',
    [],
    'the contact for reports of security problems. /.well-known/security.txt shows it (RFC 9116). Unset: the file does not exist',
    'a list of addresses that begin with mailto:, https: or tel:',
    (item) => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\S+)$/.test(item),
  ),
  trustProxy: acceptFlag(
    list<string>(
      'TRUST_PROXY',
      [],
      'the reverse proxies whose X-Forwarded-* headers the service trusts',
      'a list of IP addresses or CIDR ranges (or true to trust every address, false to trust none)',
      (item) => flagWords.includes(item) || namedRanges.includes(item) || isAddressRange(item),
    ),
  ),
  corsOrigins: list<string>(
    'CORS_ORIGINS',
    [],
    'the origins whose browser applications may call the API (CORS)',
    'a list of origins such as https://app.example.com',
    isOrigin,
  ),
  outboundPrivateAddresses: flag(
    'OUTBOUND_PRIVATE_ADDRESSES',
    false,
    'whether the service sends requests to private addresses that a user or an application has registered, for example for webhooks and back-channel logout',
  ),
  forceAcceptHeader: flag(
    'FORCE_ACCEPT_HEADER',
    true,
    'whether requests under /v1 must send an Accept header that allows JSON',
  ),
  rateLimit: integer(
    'RATE_LIMIT',
    600,
    'the number of requests that one caller can send in a minute. 0 turns the limit off',
    0,
    10_000_000,
  ),
  requestTimeout: integer(
    'REQUEST_TIMEOUT',
    30,
    'the number of seconds in which a request must arrive completely, with its body',
    1,
    3600,
  ),
  sendTimeout: integer(
    'SEND_TIMEOUT',
    60,
    'the number of seconds after which the service disconnects a caller that reads its response too slowly (less than 1 KiB a second)',
    1,
    3600,
  ),
  maxConnections: integer(
    'MAX_CONNECTIONS',
    15_000,
    'the number of connections that can be open at the same time',
    1,
    1_000_000,
  ),
  workers: cores('WORKERS', 1, 'the number of processes that serve requests on this machine', 256),
  drainSeconds: integer(
    'DRAIN_SECONDS',
    5,
    'the number of seconds after SIGTERM in which /health/ready returns 503 and the service still answers all other requests. If unset on SQLite, it is 0',
    0,
    3600,
  ),
} as const;
