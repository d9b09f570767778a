export const kinds = ['sign_ins', 'failures', 'registrations', 'tokens', 'sessions'] as const;
export type Kind = (typeof kinds)[number];
export type Hour = { at: string } & Partial<Record<Kind, number>>;

export interface Activity {
  /** The number of signed-in people now. */
  sessions: number;
  /** The number of people with each kind of factor. */
  factors: { passkeys: number; authenticators: number };
  hours: Hour[];
}

export const periods = [
  { name: '24 hours', hours: 24, each: 'hour' },
  { name: '7 days', hours: 7 * 24, each: 'day' },
  { name: '30 days', hours: 30 * 24, each: 'day' },
] as const;
export type Period = (typeof periods)[number];

/** The points of a chart: hours, or days in the person's time zone. `at`: the start time of each point. */
export function seriesOf(hours: readonly Hour[], { hours: span, each }: Period, now = new Date()) {
  const at = startsOf(span, each, now);
  const of = Object.fromEntries(kinds.map((kind) => [kind, at.map(() => (kind === 'sessions' ? null : 0))])) as Record<
    Kind,
    (number | null)[]
  >;
  for (const hour of hours) {
    const time = new Date(hour.at);
    const i = at.findLastIndex((start) => start <= time);
    if (i < 0) continue;
    for (const kind of kinds) {
      const count = hour[kind];
      if (count === undefined) continue;
      // Counts of signed-in people are not added up: the last count of a day represents the day.
      of[kind][i] = kind === 'sessions' ? count : (of[kind][i] ?? 0) + count;
    }
  }
  const totals = Object.fromEntries(
    kinds.map((kind) => [kind, of[kind].reduce<number>((sum, count) => sum + (count ?? 0), 0)]),
  ) as Record<Kind, number>;
  return { at, of, totals };
}

function startsOf(span: number, each: 'hour' | 'day', now: Date): Date[] {
  const count = each === 'hour' ? span : span / 24;
  return Array.from({ length: count }, (_, i) => {
    const back = count - 1 - i;
    return each === 'hour'
      ? new Date(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours() - back)
      : new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  });
}
