import type { DatabaseSync } from 'node:sqlite';
import { addDecimals, type Decimal, formatDecimal, fromSortable, parseDecimal } from '../../platform/decimal.ts';

/** A SQLite function that adds whole numbers and stored decimals exactly. Its result is a text. */
export const exactSum = 'exact_sum';

const zero: Decimal = { units: 0n, scale: 0 };

type Sum = Decimal | undefined;

const options = {
  start: (): Sum => undefined,
  step: (sum: Sum, value: unknown): Sum => {
    if (value === null) return sum;
    const added = typeof value === 'string' ? fromSortable(value) : parseDecimal(String(value));
    return addDecimals(sum ?? zero, added ?? zero);
  },
  result: (sum: Sum): string | null => (sum ? formatDecimal(sum) : null),
};

export const defineExactSum = (file: DatabaseSync): void => file.aggregate(exactSum, options as never);
