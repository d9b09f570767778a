import { isIP } from 'node:net';
import { cores, flag, integer, list, type Setting, text, where } from './setting.ts';

const isOrigin = (value: string): boolean => {
  if (value === '*') return false;
  try {
    return new URL(value).origin === value;
  } catch {
    return false;
  }
};

/** An address, or a range of them, that the framework takes too. */
const isAddressRange = (item: string): boolean => {
  const [address = '', bits, ...rest] = item.split('/');
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (longest === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= longest);
};
const everybodyOrNobody = ['true', 'false'];
const namedRanges = ['loopback', 'linklocal', 'uniquelocal'];

/** The same list, or `true` and `false` alone. */
const orFlag = (setting: Setting<readonly string[]>): Setting<readonly string[], boolean> => {
  const alone = where(setting, (items) => items.length < 2 || !items.some((item) => everybodyOrNobody.includes(item)));
  return { ...alone, parse: (value) => alone.parse(typeof value === 'boolean' ? String(value) : value) };
};

/** Where the service listens, and whom it answers. */
export const networkSettings = {
  host: text('HOST', '127.0.0.1', 'the address to listen on', {
    takes: 'a host name or an IP address',
    pattern: /^[\w.:-]+$/,
  }),
  port: integer('PORT', 3000, 'the port to listen on; 0 picks a free one', 0, 65_535),
  baseUrl: where(
    text('BASE_URL', '', 'the public address of the service, which tokens name as their issuer', {
      takes: 'an http or https URL without a query, such as https://auth.example.com',
      pattern: /^https?:\/\/[^\s?#/]+(\/[^\s?#]*[^\s?#/])?$/,
    }),
    URL.canParse,
  ),
  securityContact: list<string>(
    'SECURITY_CONTACT',
    [],
    'whom to tell of a weakness, as /.well-known/security.txt says it (RFC 9116); unset: there is none',
    'a list of addresses that begin with mailto:, https: or tel:',
    (item) => /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\S+)$/.test(item),
  ),
  trustProxy: orFlag(
    list<string>(
      'TRUST_PROXY',
      [],
      'reverse proxies whose X-Forwarded-* headers are believed',
      'a list of IP addresses or CIDR ranges (or true to trust whoever connects, false to trust none)',
      (item) => everybodyOrNobody.includes(item) || namedRanges.includes(item) || isAddressRange(item),
    ),
  ),
  corsOrigins: list<string>(
    'CORS_ORIGINS',
    [],
    'origins of browser applications on other hosts',
    'a list of origins such as https://app.example.com',
    isOrigin,
  ),
  outboundPrivateAddresses: flag(
    'OUTBOUND_PRIVATE_ADDRESSES',
    false,
    'whether this service calls addresses of your own network that an application names, as for back-channel logout',
  ),
  forceAcceptHeader: flag('FORCE_ACCEPT_HEADER', true, 'whether requests under /v1 must take JSON (Accept)'),
  rateLimit: integer('RATE_LIMIT', 600, 'requests a minute for one caller; 0: off', 0, 10_000_000),
  requestTimeout: integer(
    'REQUEST_TIMEOUT',
    30,
    'seconds in which a request must have arrived, its body included',
    1,
    3600,
  ),
  answerTimeout: integer(
    'ANSWER_TIMEOUT',
    60,
    'seconds after which a caller that hardly reads its answer (less than 1 KiB a second) is cut off',
    1,
    3600,
  ),
  maxConnections: integer('MAX_CONNECTIONS', 15_000, 'connections that are open at once', 1, 1_000_000),
  workers: cores('WORKERS', 1, 'processes that serve together on this machine', 256),
  drainSeconds: integer(
    'DRAIN_SECONDS',
    5,
    'seconds after SIGTERM in which /health/ready is 503 and all else is answered; unset on SQLite: 0',
    0,
    3600,
  ),
} as const;
