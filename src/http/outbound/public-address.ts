import { isIPv4, isIPv6 } from 'node:net';
import { ipv6Groups } from '../network-of.ts';

/** IANA's special-purpose addresses that lead to no host of the public internet: the network, and the bits that name it. */
const notPublic = [
  ...(['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'] as const),
  ...(['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'] as const),
  ...(['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'] as const),
].map((range) => {
  const [network, bits] = range.split('/') as [string, string];
  return { network: numberOf(network), shift: 32 - Number(bits) };
});

function numberOf(ipv4: string): number {
  return ipv4.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

const isPublicNumber = (address: number): boolean =>
  !notPublic.some(({ network, shift }) => Math.floor(address / 2 ** shift) === network / 2 ** shift);

/** Whether anybody may be told to connect there: not to this machine, nor to a network that only it can reach. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return isPublicNumber(numberOf(address));
  if (!isIPv6(address)) return false;
  const groups = ipv6Groups(address);
  const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0, high = 0, low = 0] = groups;
  const inside = high * 65_536 + low;
  const zeros = third === 0 && fourth === 0 && fifth === 0;
  // An IPv4 address written as IPv6 (RFC 4291 2.5.5.2), or reached by way of NAT64 (RFC 6052): the one inside counts.
  if (first === 0 && second === 0 && zeros && sixth === 0xffff) return isPublicNumber(inside);
  if (first === 0x64 && second === 0xff9b && zeros && sixth === 0) return isPublicNumber(inside);
  // The addresses that hosts get, without IETF protocol assignments with Teredo (2001::/23), documentation and 6to4.
  if (first >> 13 !== 1) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

export const isLoopbackAddress = (address: string): boolean => {
  if (isIPv4(address)) return address.startsWith('127.');
  return isIPv6(address) && ipv6Groups(address).join(':') === '0:0:0:0:0:0:0:1';
};
