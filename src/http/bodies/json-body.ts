import { badRequest } from '../../platform/errors.ts';
import { isUnstorableText, maxMembers, tooManyMembers } from './form-body.ts';

/** Resources need fewer levels, and recursive functions can handle this many. */
const maxDepth = 64;

/** Rejects keys that could pollute prototypes, and text that no database can store. */
function rejectUnsafeKey(key: string, value: unknown): unknown {
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
const openBrace = 0x7b;
const openBracket = 0x5b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;

/** Rejects JSON that is nested too deeply or has too many members (at all depths), before it is parsed. */
function checkSize(text: string): void {
  let depth = 0;
  let members = 0;
  let inString = false;
  // Inside brackets, before the first member.
  let empty = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === backslash) i++;
      else if (char === quote) inString = false;
      continue;
    }
    if (char <= 0x20) continue;
    if (char === closeBrace || char === closeBracket) {
      depth--;
      empty = false;
      continue;
    }
    if (empty || (char === comma && depth > 0)) members++;
    empty = false;
    if (char === quote) inString = true;
    else if (char === openBrace || char === openBracket) {
      empty = true;
      if (++depth > maxDepth) throw badRequest(`The body is nested deeper than ${maxDepth} levels.`, 'body_invalid');
    }
    if (members > maxMembers) throw tooManyMembers();
  }
}

export function readJson(text: string): unknown {
  checkSize(text);
  try {
    // Without these names and without escapes, which could hide a name or an invalid character, the fast parse is safe.
    const needsCheck = text.includes('__proto__') || text.includes('constructor') || text.includes('\\u');
    return needsCheck ? JSON.parse(text, rejectUnsafeKey) : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('The body is not valid JSON.', 'json_invalid');
    throw error;
  }
}
