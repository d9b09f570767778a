import { badRequest } from '../../platform/errors.ts';
import { isUnstorableText, maxMembers, tooManyMembers } from './form-body.ts';

/** Deeper than any resource needs, but shallow enough for recursive functions. */
const maxDepth = 64;

/** Rejects keys that could pollute prototypes, and text that no database can store. */
function refusePoison(key: string, value: unknown): unknown {
  if (
    key === '__proto__' ||
    (key === 'constructor' && typeof value === 'object' && value !== null && 'prototype' in value)
  ) {
    throw badRequest(`A key of the body cannot be named "${key}".`, 'body_invalid');
  }
  if (isUnstorableText(key) || (typeof value === 'string' && isUnstorableText(value))) {
    throw badRequest('The body contains a NUL character or half of a surrogate pair.', 'encoding_invalid');
  }
  return value;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const opensObject = 0x7b;
const opensArray = 0x5b;
const closesObject = 0x7d;
const closesArray = 0x5d;

/** Rejects JSON that is too deep or has too many members (at all depths) before it is parsed. */
function refuseDepthAndNumber(text: string): void {
  let depth = 0;
  let members = 0;
  let inString = false;
  // Inside brackets that are still empty.
  let empty = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === backslash) i++;
      else if (char === quote) inString = false;
      continue;
    }
    if (char <= 0x20) continue;
    if (char === closesObject || char === closesArray) {
      depth--;
      empty = false;
      continue;
    }
    if (empty || (char === comma && depth > 0)) members++;
    empty = false;
    if (char === quote) inString = true;
    else if (char === opensObject || char === opensArray) {
      empty = true;
      if (++depth > maxDepth) throw badRequest(`The body is nested deeper than ${maxDepth} levels.`, 'body_invalid');
    }
    if (members > maxMembers) throw tooManyMembers();
  }
}

/** The value that a JSON text means; throws the refusal of one that is broken, or would be a burden. */
export function readJson(text: string): unknown {
  refuseDepthAndNumber(text);
  try {
    // Escapes can hide a key's name or a bad character; without them the fast way is safe.
    const suspicious = text.includes('__proto__') || text.includes('constructor') || text.includes('\\u');
    return suspicious ? JSON.parse(text, refusePoison) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('The body is not valid JSON.', 'json_invalid');
    throw error;
  }
}
