import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isOneOf } from '../../../platform/is-one-of.ts';

/** The kinds of short tokens: a personal access token, a client's secret, or a token to register a client. */
const kinds = ['pat', 'sec', 'reg'] as const;
export type ShortTokenKind = (typeof kinds)[number];

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 160 bits in base 62. */
const bodyLength = 27;
const checksumLength = 6;

function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text;
}

/** CRC-32 of the preceding text. With it, a scanner can distinguish a token from similar text without a request. */
const checksumOf = (text: string): string => toBase62(BigInt(crc32(text)), checksumLength);

/** `gh_pat_`, 160 random bits, and a checksum. Secret scanners can find it. */
export function createShortToken(kind: ShortTokenKind): string {
  const body = `gh_${kind}_${toBase62(BigInt(`0x${randomBytes(20).toString('hex')}`), bodyLength)}`;
  return body + checksumOf(body);
}

const tokenPattern = /^gh_([a-z]{3})_[0-9A-Za-z]{33}$/;

/** Returns the kind of a short token; undefined for any other text. A mistyped token costs no query. */
export function shortTokenKind(token: string): ShortTokenKind | undefined {
  const [, kind] = tokenPattern.exec(token) ?? [];
  const body = token.slice(0, -checksumLength);
  return isOneOf(kinds, kind) && token.slice(-checksumLength) === checksumOf(body) ? kind : undefined;
}

/** The stored hash of a token. 160 random bits cannot be guessed, so a plain hash is enough. */
export const hashShortToken = (token: string): string => hash('sha256', token, 'base64url');
