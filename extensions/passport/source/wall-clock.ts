import { BoundedMap } from '../../../src/platform/bounded-map.ts';
import { OperatorError } from '../../../src/platform/errors.ts';

const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?(Z|[+-]\d\d(?::?\d\d)?)?$/;
const hour = 3_600_000;
const rememberedHours = 50_000;

/** Reads dates in the application's time zone, as Laravel stores them. */
export class WallClock {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;
  /** Offsets by hour of local time: most rows share an hour with others. */
  readonly #offsets = new BoundedMap<number, number>(rememberedHours);

  constructor(zone: string) {
    this.zone = zone;
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch {
      throw new OperatorError(
        `--timezone: "${zone}" is not a time zone; expected a name such as Europe/Berlin or UTC.`,
      );
    }
  }

  /** Milliseconds since 1970. Null for no date and for invalid dates (0000-00-00). */
  read(text: string | null | undefined): number | null {
    const trimmed = text?.trim() ?? '';
    // Seconds or milliseconds since 1970, which some applications store in SQLite.
    if (/^\d{9,10}$/.test(trimmed)) return Number(trimmed) * 1000;
    if (/^\d{12,13}$/.test(trimmed)) return Number(trimmed);
    const match = form.exec(trimmed);
    if (!match) return null;
    const [year = 0, month = 0, day, hours, minutes, seconds] = match.slice(1, 7).map((part) => Number(part ?? 0));
    const wall = Date.UTC(year, month - 1, day, hours, minutes, seconds);
    const read = new Date(wall);
    if (year === 0 || read.getUTCMonth() !== month - 1 || read.getUTCDate() !== day) return null;
    const offset = match[7];
    if (offset === undefined) return wall - this.#offsetAt(wall);
    return wall - (offset === 'Z' ? 0 : minutesOf(offset) * 60_000);
  }

  /** The offset of the zone from UTC at the local time `wall`. If the local time occurs twice, the later one counts. */
  #offsetAt(wall: number): number {
    const key = Math.floor(wall / hour);
    const cached = this.#offsets.get(key);
    if (cached !== undefined) return cached;
    const offsets = [wall - 14 * hour, wall + 14 * hour].map((at) => this.#offset(at));
    const matching = offsets.filter((offset) => this.#offset(wall - offset) === offset);
    const offset = Math.min(...(matching.length > 0 ? matching : offsets));
    this.#offsets.set(key, offset);
    return offset;
  }

  #offset(at: number): number {
    const parts = Object.fromEntries(this.#format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day, hour: hours, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hours, minute, second) - Math.floor(at / 1000) * 1000;
  }
}

function minutesOf(offset: string): number {
  const digits = offset.slice(1).replace(':', '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2) || 0);
  return offset.startsWith('-') ? -minutes : minutes;
}
