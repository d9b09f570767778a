import { isIPv6 } from 'node:net';

/** The network whose requests are counted together: an IPv4 address, or an IPv6 /64, the smallest network of a subscriber. */
export const networkOf = (address: string): string =>
  // A fast path for IPv4, because this runs for every request.
  address.includes(':') ? prefixOf(address, 4) : address;

/** A larger network: the owner of a /64 often has the whole /48. IPv4 addresses stay unchanged. */
export const widerNetworkOf = (address: string): string => (address.includes(':') ? prefixOf(address, 3) : address);

/** The first groups of an IPv6 address. An IPv4 address in IPv6 notation is returned as IPv4. */
function prefixOf(address: string, groups: number): string {
  if (!isIPv6(address)) return withoutPort(address, groups);
  const allGroups = ipv6Groups(address);
  const isMapped = allGroups.slice(0, 5).every((group) => group === 0) && allGroups[5] === 0xffff;
  if (isMapped) {
    const [high = 0, low = 0] = allGroups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const prefix = allGroups.slice(0, groups).map((group) => group.toString(16));
  return `${prefix.join(':')}::/${groups * 16}`;
}

/** Some proxies write the port of the connection into X-Forwarded-For: `192.0.2.1:50123`, `[2001:db8::1]:50123`. */
function withoutPort(address: string, groups: number): string {
  const [, v6, v4] = /^(?:\[([\da-fA-F:.]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/.exec(address) ?? [];
  return v6 !== undefined && isIPv6(v6) ? prefixOf(v6, groups) : (v4 ?? address);
}

/** All eight groups, also if the address contains `::` or ends with an IPv4 address. */
export function ipv6Groups(address: string): number[] {
  const [withoutZone = ''] = address.split('%', 1);
  const [textBefore = '', textAfter] = withoutZone.toLowerCase().split('::');
  const before = numbersOf(textBefore);
  if (textAfter === undefined) return before;
  const after = numbersOf(textAfter);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function numbersOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** Whether a host name, as `URL` writes it, is always this machine (RFC 8252 7.3 and 8.3). */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host);
