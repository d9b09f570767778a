import { createHmac } from 'node:crypto';
import { isOneOf } from '../../../platform/is-one-of.ts';
import { tryParseJson } from '../../../platform/json-text.ts';
import { everything, type Invalidation } from '../../bus.ts';

// Every database user can listen and notify. So payloads are untrusted input.

export const invalidationsChannel = 'gatehouse_changes';
export const confirmationsChannel = 'gatehouse_heard';
export const jobsChannel = 'gatehouse_jobs';

interface Announcement {
  readonly announcement: string;
  readonly invalidations: readonly Invalidation[];
}

interface Confirmation {
  readonly announcement: string;
  readonly confirmation: string;
}

const kinds: readonly Invalidation['kind'][] = ['session', 'user', 'client', 'keys', 'writer', 'everything'];
/** PostgreSQL limits a NOTIFY payload to 8,000 bytes. A longer one becomes an invalidation of everything, which is rare. */
const maxPayloadLength = 7999;
const maxAnnouncementLength = 100;

export function formatAnnouncement({ announcement, invalidations }: Announcement): string {
  const format = (listed: readonly Invalidation[]) =>
    JSON.stringify([announcement, ...listed.map(({ kind, id }) => [kind, id])]);
  const payload = format(invalidations);
  return Buffer.byteLength(payload) <= maxPayloadLength ? payload : format([everything]);
}

/** Undefined for a payload that no instance has written. A kind of a newer version counts as an invalidation of everything. */
export function parseAnnouncement(payload: string): Announcement | undefined {
  const parts = tryParseJson(payload);
  if (!Array.isArray(parts)) return undefined;
  const [announcement, ...invalidations]: unknown[] = parts;
  if (typeof announcement !== 'string' || announcement.length > maxAnnouncementLength) return undefined;
  if (!invalidations.every(isInvalidation)) return undefined;
  return {
    announcement,
    invalidations: invalidations.map(([kind, id]) => (isOneOf(kinds, kind) ? { kind, id } : everything)),
  };
}

const isInvalidation = (part: unknown): part is [string, string] =>
  Array.isArray(part) && part.length === 2 && part.every((value) => typeof value === 'string');

/** The confirmation of an announcement. Only this instance can make it, because its id is only in the table. */
export const confirmationBy = (instance: string, announcement: string): string =>
  createHmac('sha256', instance).update(announcement).digest('base64url');

export const formatConfirmation = ({ announcement, confirmation }: Confirmation) => `${announcement} ${confirmation}`;

export function parseConfirmation(payload: string): Confirmation | undefined {
  const [announcement, confirmation, ...rest] = payload.split(' ', 3);
  return announcement && confirmation && rest.length === 0 ? { announcement, confirmation } : undefined;
}
