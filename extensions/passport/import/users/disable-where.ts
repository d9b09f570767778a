import { OperatorError } from '../../../../src/platform/errors.ts';
import type { SourceRow } from '../../source/source.ts';
import type { WallClock } from '../../source/wall-clock.ts';

/** One `--disable-where`: `is_active=0`, `status!=active`, or `banned_at` for any value. */
export interface Condition {
  readonly column: string;
  readonly test: 'set' | 'is' | 'is-not';
  readonly value: string;
}

const form = /^([A-Za-z_]\w{0,63})(?:(!?=)(.*))?$/s;

export function readCondition(text: string): Condition {
  const [, column, sign, value] = form.exec(text) ?? [];
  if (column === undefined) {
    throw new OperatorError(`--disable-where takes COLUMN, COLUMN=VALUE or COLUMN!=VALUE, not "${text}".`);
  }
  return { column, test: sign === undefined ? 'set' : sign === '=' ? 'is' : 'is-not', value: value ?? '' };
}

/** Whether the row meets one of the conditions. A date in a column such as `banned_until` counts until it has passed. */
export const isDisabled = (
  conditions: readonly Condition[],
  row: SourceRow,
  { clock, at }: { clock: WallClock; at: number },
): boolean =>
  conditions.some(({ column, test, value }) => {
    const cell = row[column];
    if (cell === undefined) return false;
    if (test !== 'set') return (plain(cell) === plain(value)) === (test === 'is');
    if (['', '0'].includes(plain(cell)) || cell?.startsWith('0000-')) return false;
    const until = /_(until|till)$/.test(column) ? clock.read(cell) : null;
    return until === null || until > at;
  });

/** Normalises booleans, which engines write in different ways. Null equals the empty text. */
function plain(value: string | null): string {
  const text = (value ?? '').trim().toLowerCase();
  if (text === 'null') return '';
  if (['t', 'true'].includes(text)) return '1';
  return ['f', 'false'].includes(text) ? '0' : text;
}
