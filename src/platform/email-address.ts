import { domainToASCII, domainToUnicode } from 'node:url';

/** RFC 5321 4.5.3.1, in bytes. */
const maxLocalPartLength = 64;
const maxAddressLength = 254;

/**
 * RFC 5322's atoms and letters beyond ASCII (RFC 6531), without characters that end a part of a URL or a page. No quoted local
 * parts, because programs read them differently.
 */
const localPart = /^[\p{L}\p{M}\p{N}!$%&'*+=^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!$%&'*+=^_`{|}~-]+)*$/u;
/** A host as people write it, with any of the four dots of IDNA. Nothing that a URL parser would drop. */
const spelledHost = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u;
const hostLabel = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The stored form of an address: the local part in NFC, and the host in lowercase ASCII (`xn--…`). Undefined if it is not an address. */
export function normaliseEmail(text: string): string | undefined {
  const atSign = text.lastIndexOf('@');
  if (atSign < 1 || text.length > 2 * maxAddressLength) return undefined;
  const local = normaliseLocalPart(text.slice(0, atSign));
  const host = normaliseHost(text.slice(atSign + 1));
  if (local === undefined || host === undefined) return undefined;
  const email = `${local}@${host}`;
  return Buffer.byteLength(email) <= maxAddressLength ? email : undefined;
}

function normaliseLocalPart(text: string): string | undefined {
  const local = text.normalize('NFC');
  if (!localPart.test(local) || Buffer.byteLength(local) > maxLocalPartLength) return undefined;
  // Databases fold only ASCII. Other letters are stored in lowercase, so that addresses compare without case.
  return /^[ -~]+$/.test(local) ? local : local.toLowerCase().normalize('NFC');
}

function normaliseHost(text: string): string | undefined {
  if (!spelledHost.test(text)) return undefined;
  const host = domainToASCII(text.normalize('NFC'));
  const labels = host.split('.');
  if (!labels.every((label) => hostLabel.test(label))) return undefined;
  // A last label of digits would make it an IPv4 address, which `domainToASCII` makes of any number.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  // `domainToUnicode` leaves a label unchanged that begins with xn-- and decodes to nothing.
  return /(^|\.)xn--/.test(domainToUnicode(host)) ? undefined : host;
}

/** Equal for addresses that differ only in case: the same as `lower()` on both engines. */
export const foldEmail = (email: string): string => email.toLowerCase();

/** The mailbox of an address, only for counting: most providers ignore the text after a plus sign. */
export function mailboxOf(email: string): string {
  const folded = foldEmail(email);
  const atSign = folded.lastIndexOf('@');
  const plus = folded.indexOf('+');
  return plus > 0 && plus < atSign ? folded.slice(0, plus) + folded.slice(atSign) : folded;
}
