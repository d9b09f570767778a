import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { asObject } from '../../../src/platform/is-object.ts';
import type { SourceRow } from './source.ts';

/** Decrypts a value of Laravel's `encrypt` (AES-CBC with a MAC, or AES-GCM). Undefined if no key fits. */
export function decryptLaravel(payload: string, keys: readonly Buffer[]): string | undefined {
  const sealed = readPayload(payload);
  if (!sealed) return undefined;
  for (const key of keys) {
    const text = sealed.tag ? openGcm(sealed, key) : openCbc(sealed, key);
    if (text !== undefined) return unserialize(text);
  }
  return undefined;
}

/** The prefix of each value of Laravel's `encrypt`: `{"iv":` in base64. */
const start = 'eyJpdiI6';

/** Decrypts the encrypted columns of a row. `onFailure` gets the name of a column that no key can decrypt. */
export function decryptRow(row: SourceRow, keys: readonly Buffer[], onFailure: (column: string) => void): SourceRow {
  const opened = Object.entries(row).flatMap(([column, value]) => {
    if (!value?.startsWith(start)) return [];
    const text = decryptLaravel(value, keys);
    if (text === undefined) onFailure(column);
    return [[column, text ?? null]];
  });
  return opened.length === 0 ? row : { ...row, ...Object.fromEntries(opened) };
}

interface Sealed {
  readonly iv: string;
  readonly value: string;
  readonly mac: string;
  readonly tag: string;
}

function readPayload(payload: string): Sealed | undefined {
  try {
    const { iv, value, mac = '', tag = '' } = asObject(JSON.parse(Buffer.from(payload, 'base64').toString()));
    if (typeof iv !== 'string' || typeof value !== 'string') return undefined;
    return typeof mac === 'string' && typeof tag === 'string' ? { iv, value, mac, tag } : undefined;
  } catch {
    return undefined;
  }
}

function openCbc({ iv, value, mac }: Sealed, key: Buffer): string | undefined {
  const expected = createHmac('sha256', key).update(`${iv}${value}`).digest();
  const macBytes = Buffer.from(mac, 'hex');
  if (macBytes.length !== expected.length || !timingSafeEqual(macBytes, expected)) return undefined;
  return open(() => createDecipheriv(`aes-${key.length * 8}-cbc`, key, Buffer.from(iv, 'base64')), value);
}

function openGcm({ iv, value, tag }: Sealed, key: Buffer): string | undefined {
  const tagBytes = Buffer.from(tag, 'base64');
  if (tagBytes.length !== 16) return undefined;
  return open(() => {
    const decipher = createDecipheriv(
      key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm',
      key,
      Buffer.from(iv, 'base64'),
    );
    decipher.setAuthTag(tagBytes);
    return decipher;
  }, value);
}

function open(make: () => ReturnType<typeof createDecipheriv>, value: string): string | undefined {
  try {
    const decipher = make();
    return Buffer.concat([decipher.update(Buffer.from(value, 'base64')), decipher.final()]).toString();
  } catch {
    return undefined;
  }
}

/** PHP serializes a text as `s:16:"…";`. */
const unserialize = (text: string): string => /^s:\d+:"([\s\S]*)";$/.exec(text)?.[1] ?? text;
