import type { Context } from '../../src/database/context.ts';
import {
  activitySince,
  addToActivity,
  countLiveSessions,
  deleteActivityBefore,
  setActivity,
} from './activity-store.ts';

type Kind = 'sign_ins' | 'failures' | 'registrations' | 'tokens' | 'sessions';

const hourMs = 3_600_000;
const shownHours = 30 * 24;
/** Long enough to compare a month with the previous one. */
const keptHours = 62 * 24;
const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs;

/** The counts of one hour. Zero counts are left out. */
type Hour = { readonly at: string } & { readonly [kind in Kind]?: number };

/** Adds the increase of the metrics to hourly counts every few seconds. A crash loses the last seconds. */
export class Activity {
  readonly #context: Context;
  readonly #written = new Map<Kind, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Adds the counts since the last run. Runs do not overlap, and the next run retries a failed one. */
  flush(): Promise<void> {
    this.#writing = this.#writing.catch(() => undefined).then(() => this.#flush());
    return this.#writing;
  }

  async #flush(): Promise<void> {
    const { database, now } = this.#context;
    const hour = hourOf(now());
    const grown = [...this.#totals()].filter(([kind, total]) => total > (this.#written.get(kind) ?? 0));
    const rows = grown.map(([kind, total]) => ({ hour, kind, count: total - (this.#written.get(kind) ?? 0) }));
    await addToActivity(database.db, rows);
    for (const [kind, total] of grown) this.#written.set(kind, total);
  }

  #totals(): Map<Kind, number> {
    const { logins, registrations, tokensIssued } = this.#context.metrics;
    const accepted = logins.counts.get('accepted') ?? 0;
    return new Map([
      ['sign_ins', accepted],
      ['failures', sum(logins.counts) - accepted],
      ['registrations', sum(registrations.counts)],
      ['tokens', sum(tokensIssued.counts)],
    ]);
  }

  async countSessions(): Promise<number> {
    const { database, now } = this.#context;
    const count = await countLiveSessions(database.db, now());
    await setActivity(database.db, { hour: hourOf(now()), kind: 'sessions', count });
    return count;
  }

  async maintain(): Promise<void> {
    const { database, now } = this.#context;
    await this.countSessions();
    await deleteActivityBefore(database.db, hourOf(now()) - keptHours * hourMs);
  }

  /** The last thirty days, oldest hour first. The cost does not depend on the number of events. */
  async hours(): Promise<Hour[]> {
    const { database, now } = this.#context;
    const hours = new Map<number, Hour>();
    for (const { hour, kind, count } of await activitySince(database.db, hourOf(now()) - shownHours * hourMs)) {
      const one = hours.get(Number(hour)) ?? { at: new Date(Number(hour)).toISOString() };
      hours.set(Number(hour), { ...one, [kind]: Number(count) });
    }
    return [...hours.values()];
  }
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);
