import type { DatabaseSync } from 'node:sqlite';
import { addDecimals, type Decimal, fromSortable, parseDecimal, writeDecimal } from '../../platform/decimal.ts';

/** The function of SQLite that adds whole numbers and stored decimals and loses no digit. Its result is a text. */
export const exactSum = 'exact_sum';

const none: Decimal = { units: 0n, scale: 0 };

/** Undefined before the first value. SQLite keeps it between rows and never looks at it. */
type Sum = Decimal | undefined;

const options = {
  start: (): Sum => undefined,
  step: (sum: Sum, value: unknown): Sum => {
    if (value === null) return sum;
    const added = typeof value === 'string' ? fromSortable(value) : parseDecimal(String(value));
    return addDecimals(sum ?? none, added ?? none);
  },
  result: (sum: Sum): string | null => (sum ? writeDecimal(sum) : null),
};

export const defineExactSum = (file: DatabaseSync): void => file.aggregate(exactSum, options as never);
