import type { WallClock } from '../../source/wall-clock.ts';
import { isTrue } from '../pass.ts';

/** The text of a column as a declared field of this type takes it. Nothing, and a date that is none, become null. */
export function fieldValue(type: string, text: string | null, clock: WallClock): unknown {
  if (text === null || text === '') return null;
  if (type === 'boolean') return isTrue(text);
  if (type === 'integer' || type === 'number') return Number(text);
  if (type === 'date') return text.startsWith('0000-') ? null : text.slice(0, 10);
  if (type === 'timestamp') {
    const at = clock.read(text);
    return at === null ? null : new Date(at).toISOString();
  }
  return type === 'json' || type === 'list' ? readJson(text) : text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
