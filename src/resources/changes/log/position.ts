import { wrongParameter } from '../../../http/errors/parameter-errors.ts';
import { Problem } from '../../../platform/errors.ts';

/**
 * A place in the log of changes. `seen`: changes after the number that are known already, because a list showed them. It is the
 * snapshot of that list, as PostgreSQL writes it.
 */
export interface Position {
  readonly number: number;
  readonly seen?: string | undefined;
}

const pattern = /^([0-9a-f]{10})-(\d{1,16})(?:-([0-9._]{1,4000}))?$/;

/** `4f1c09ab2e-0000000000000042`: positions of one history sort as texts do. */
export const writePosition = (history: string, { number, seen }: Position): string =>
  `${history}-${String(number).padStart(16, '0')}${seen ? `-${seen.replaceAll(':', '_').replaceAll(',', '.')}` : ''}`;

/** 410 for a position of another history, 400 for what is none. `0` is the beginning. */
export function readPosition(history: string, name: string, text: string): Position {
  if (text === '0') return { number: 0 };
  const [, of, number, seen] = pattern.exec(text) ?? [];
  if (number === undefined) throw wrongParameter(`${name}: it takes a position that this service gave out.`);
  if (of !== history) throw resync('The position belongs to another history of the data.');
  return { number: Number(number), seen: seen?.replaceAll('_', ':').replaceAll('.', ',') };
}

/** What was missed is not kept any more: the caller reads the lists again and goes on from their position. */
export const resync = (detail: string): Problem =>
  new Problem(410, 'Gone', `${detail} Read the list again and go on from its meta.changes_position.`, {
    code: 'resync',
  });
