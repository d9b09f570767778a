/** An exact decimal: `units` times ten to the power of minus `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const decimalPattern = /^([+-]?)(\d{1,99})(?:\.(\d{1,99}))?$/;

/** Reads a text such as `-12.50`, without trailing zeros. Undefined if it is not a decimal. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = text.length > 210 ? null : decimalPattern.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', digits = ''] = match;
  const fraction = withoutZeros(digits);
  const units = BigInt(whole + fraction);
  return { units: sign === '-' ? -units : units, scale: fraction.length };
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** Writes at least this many digits after the point. */
export function formatDecimal({ units, scale }: Decimal, minFractionDigits = 0): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = withoutZeros(digits.slice(digits.length - scale)).padEnd(minFractionDigits, '0');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

const unitsAtScale = ({ units, scale }: Decimal, targetScale: number) => units * 10n ** BigInt(targetScale - scale);

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAtScale(a, scale) + unitsAtScale(b, scale), scale };
}

const complement = (digits: string): string => digits.replace(/\d/g, (digit) => String(9 - Number(digit)));

/**
 * The stored text of a decimal. Such texts sort by bytes like the decimals, and equal decimals have the same text: the count of
 * digits before the point, a space, and the digits (`02 12.5`). A negative decimal is `-`, the nines' complement and `~` (`-97 87.4~`).
 */
export function sortableDecimal(value: Decimal): string {
  const text = formatDecimal(value);
  const digits = text.startsWith('-') ? text.slice(1) : text;
  const point = digits.indexOf('.');
  const sorted = `${String(point < 0 ? digits.length : point).padStart(2, '0')} ${digits}`;
  return value.units < 0n ? `-${complement(sorted)}~` : sorted;
}

export function fromSortable(stored: string): Decimal {
  const value = stored.startsWith('-') ? `-${complement(stored.slice(4, -1))}` : stored.slice(3);
  return parseDecimal(value) ?? { units: 0n, scale: 0 };
}
