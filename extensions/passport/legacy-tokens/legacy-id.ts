import { hash } from 'node:crypto';

/** A UUID derived from the token's old id (RFC 9562 5.8), so that a second import finds the same token. */
export function legacyId(kind: 'access' | 'refresh', id: string): string {
  const hex = hash('sha256', `passport ${kind} ${id}`, 'hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
