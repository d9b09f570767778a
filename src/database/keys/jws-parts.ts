import { isObject } from '../../platform/is-object.ts';
import { tryParseJson } from '../../platform/json-text.ts';

/** A part of a compact JWS (RFC 7515 7.1): JSON in base64url. */
export const encodePart = (json: string): string => Buffer.from(json).toString('base64url');

/** Undefined if the part is not a JSON object. */
export function decodePart(part: string): Record<string, unknown> | undefined {
  const value = tryParseJson(Buffer.from(part, 'base64url').toString());
  return isObject(value) ? value : undefined;
}
