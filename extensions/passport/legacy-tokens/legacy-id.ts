import { hash } from 'node:crypto';

/**
 * The id under which a token of the old service is known here: a UUID that follows from its own id, so that whoever
 * presents the token finds it, and a second import finds what the first one made. RFC 9562 5.8.
 */
export function legacyId(kind: 'access' | 'refresh', id: string): string {
  const hex = hash('sha256', `passport ${kind} ${id}`, 'hex');
  const variant = '89ab'[Number.parseInt(hex[16] as string, 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
