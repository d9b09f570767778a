const msByUnit = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** The milliseconds of `90s`, `15m`, `2h` or `7d`. Undefined for other texts. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const unitMs = msByUnit.get(unit);
  return unitMs === undefined ? undefined : Number(amount) * unitMs;
}
