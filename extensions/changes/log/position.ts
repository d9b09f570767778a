import { invalidParameter } from '../../../src/http/errors/parameter-errors.ts';
import { Problem } from '../../../src/platform/errors.ts';

/** The changes that a list on PostgreSQL already includes: those up to `upTo` that are visible in its snapshot. */
export interface IncludedChanges {
  /** In PostgreSQL's notation of a `pg_snapshot`. */
  readonly snapshot: string;
  /** The newest change that was committed when the list was read. */
  readonly upTo: number;
}

/** A place in the log: after this number, and without the changes that a list already included. */
export interface Position {
  readonly number: number;
  readonly shown?: IncludedChanges | undefined;
}

const pattern = /^([0-9a-f]{10})-(\d{1,16})(?:-(\d{1,18})_(\d{1,18})_([0-9.]{0,4000})_(\d{1,16}))?$/;

/** `4f1c09ab2e-0000000000000042`: positions of one history sort as texts. */
export function formatPosition(history: string, { number, shown }: Position): string {
  const place = `${history}-${String(number).padStart(16, '0')}`;
  if (!shown) return place;
  return `${place}-${shown.snapshot.replaceAll(':', '_').replaceAll(',', '.')}_${shown.upTo}`;
}

/** A later position. `shown` is dropped once the position has passed the newest change that the list included. */
export const advancePosition = ({ shown }: Position, number: number): Position =>
  shown && number < shown.upTo ? { number, shown } : { number };

/** 410 for a position of another history, 400 for a malformed one. `0` is the beginning. */
export function parsePosition(history: string, name: string, text: string): Position {
  if (text === '0') return { number: 0 };
  const [, of, number, xmin, xmax, running = '', upTo] = pattern.exec(text) ?? [];
  if (number === undefined || (xmin && xmax && !isSnapshot(xmin, xmax, running)))
    throw invalidParameter(`${name}: expected a position from a response of this service.`);
  if (of !== history) throw resyncRequired('The position belongs to another history of the data.');
  if (upTo === undefined) return { number: Number(number) };
  const snapshot = `${xmin}:${xmax}:${running.replaceAll('.', ',')}`;
  return advancePosition({ number: 0, shown: { snapshot, upTo: Number(upTo) } }, Number(number));
}

/** Whether PostgreSQL accepts the snapshot: the running transactions must be in ascending order between xmin and xmax. */
function isSnapshot(xmin: string, xmax: string, running: string): boolean {
  const ids = [xmin, ...(running === '' ? [] : running.split('.')), xmax];
  if (ids.some((id) => !/^[1-9]\d{0,17}$/.test(id))) return false;
  const numbers = ids.map(BigInt);
  const isAscending = numbers.every((id, i) => id >= (numbers[i - 1] ?? 0n));
  return isAscending && numbers.slice(1, -1).every((id) => id < BigInt(xmax));
}

/** The changes after the position no longer exist. The caller must read the lists again and continue from their position. */
export const resyncRequired = (detail: string): Problem =>
  new Problem(410, 'Gone', `${detail} Read the list again and go on from its meta.changes_position.`, {
    code: 'resync',
  });
