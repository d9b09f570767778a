import { printable } from '../../../src/cli/terminal/table.ts';
import type { DecisionCode } from './decision-codes.ts';

const initialBytes = 1024;
const maxNumber = 2 ** 31;

/** Counts each user once, even with several logins. Uses one bit per number, because most ids are numbers. */
class DistinctUsers {
  #bits = new Uint8Array(initialBytes);
  readonly #otherIds = new Set<string>();
  count = 0;

  add(id: string): void {
    const number = /^\d{1,10}$/.test(id) ? Number(id) : maxNumber;
    if (number >= maxNumber) {
      if (this.#otherIds.has(id)) return;
      this.#otherIds.add(id);
    } else {
      const byte = number >> 3;
      if (byte >= this.#bits.length) this.#grow(byte);
      const mask = 1 << (number & 7);
      const bits = this.#bits[byte] ?? 0;
      if ((bits & mask) !== 0) return;
      this.#bits[byte] = bits | mask;
    }
    this.count++;
  }

  #grow(byte: number): void {
    const larger = new Uint8Array(Math.max(byte + 1, this.#bits.length * 2));
    larger.set(this.#bits);
    this.#bits = larger;
  }
}

/** The result for the rows of one table. */
export interface TableReport {
  readonly table: string;
  readonly read: number;
  /** New rows of this pass. */
  readonly taken: number;
  /** Rows of an earlier pass without changes. */
  readonly unchanged: number;
  /** Rows of an earlier pass that changed in the old service. */
  readonly updated: number;
  /** Rows of an earlier pass that were deleted or revoked in the old service. They have ended here too. */
  readonly ended: number;
  /** Rows that were not imported, by reason. */
  readonly left: Readonly<Record<string, number>>;
}

interface SignedOut {
  readonly cause: string;
  readonly people: number;
  readonly logins: number;
}

/** The result of a pass. */
export interface Report {
  readonly dry_run: boolean;
  readonly pass: number;
  /** The origin of the public key. */
  readonly public_key: string;
  readonly tables: readonly TableReport[];
  /** The users who have to log in again, with the reasons. */
  readonly signed_out: readonly SignedOut[];
  /** Data that is never imported. */
  readonly not_taken: readonly { readonly what: string; readonly count: number; readonly why: string }[];
  /** Open decisions. The import is complete when all are made. */
  readonly decisions: readonly string[];
  readonly notes: readonly string[];
}

const maxExamples = 20;

class TableCounts {
  read = 0;
  taken = 0;
  unchanged = 0;
  updated = 0;
  ended = 0;
  readonly left = new Map<string, number>();

  skip(reason: string, count = 1): void {
    this.left.set(reason, (this.left.get(reason) ?? 0) + count);
  }
}

export type { TableCounts };

/** Collects the findings of a pass, in memory that does not grow with the tables. */
export class Findings {
  readonly #tables = new Map<string, TableCounts>();
  readonly #causes = new Map<string, { people: DistinctUsers; logins: number }>();
  readonly #notTaken: Report['not_taken'][number][] = [];
  readonly #decisions = new Map<string, { count: number; examples: string[] }>();
  readonly #notes = new Map<string, { count: number; examples: string[] }>();
  readonly #accepted: ReadonlySet<string>;

  /** `accepted`: the decisions that the operator has accepted. */
  constructor(accepted: ReadonlySet<DecisionCode> = new Set()) {
    this.#accepted = accepted;
  }

  countsOf(table: string): TableCounts {
    let counts = this.#tables.get(table);
    if (!counts) {
      counts = new TableCounts();
      this.#tables.set(table, counts);
    }
    return counts;
  }

  signedOut(cause: string, person: string | null, logins = 1): void {
    const entry = this.#causes.get(cause) ?? { people: new DistinctUsers(), logins: 0 };
    this.#causes.set(cause, entry);
    entry.logins += logins;
    if (person !== null) entry.people.add(person);
  }

  notTaken(description: string, count: number, why: string): void {
    if (count > 0) this.#notTaken.push({ what: description, count, why });
  }

  /** Reports a decision for the operator. Decisions of one kind share a line with a few examples. True if it was accepted. */
  decide(code: DecisionCode, description: string, example?: string): boolean {
    const isAccepted = this.#accepted.has(code);
    if (isAccepted) add(this.#notes, description, example);
    else add(this.#decisions, `${description} [${code}]`, example);
    return isAccepted;
  }

  addNote(description: string, example?: string): void {
    add(this.#notes, description, example);
  }

  report(pass: number, { dryRun, publicKeyFrom }: { dryRun: boolean; publicKeyFrom: string }): Report {
    return {
      dry_run: dryRun,
      pass,
      public_key: publicKeyFrom,
      tables: [...this.#tables].map(([table, { left, ...counts }]) => ({
        table,
        ...counts,
        left: Object.fromEntries(left),
      })),
      signed_out: [...this.#causes].map(([cause, { people, logins }]) => ({ cause, people: people.count, logins })),
      not_taken: this.#notTaken,
      decisions: linesOf(this.#decisions),
      notes: linesOf(this.#notes),
    };
  }
}

type Lines = Map<string, { count: number; examples: string[] }>;

function add(lines: Lines, description: string, example: string | undefined): void {
  const line = lines.get(description) ?? { count: 0, examples: [] };
  lines.set(description, line);
  line.count++;
  if (example !== undefined && line.examples.length < maxExamples) line.examples.push(example);
}

const linesOf = (lines: Lines): string[] =>
  [...lines].map(([description, { count, examples }]) => {
    if (examples.length === 0) return count > 1 ? `${description} (${count})` : description;
    const more = count > examples.length ? `, and ${count - examples.length} more` : '';
    return `${description} (${examples.join('; ')}${more})`;
  });

/** The report as text. */
export function writeReport(report: Report): string {
  return [
    report.dry_run ? 'Dry run: nothing was changed. This is what an import would do.' : `Pass ${report.pass} is done.`,
    `Public key: ${report.public_key}.`,
    '',
    ...tableLines(report.tables),
    ...section(
      'Signed out',
      report.signed_out.map(
        ({ cause, people, logins }) =>
          `${count(people, 'person', 'people')} (${count(logins, 'login', 'logins')}): ${cause}`,
      ),
    ),
    ...(report.signed_out.length === 0 ? ['', 'Nobody is signed out.'] : []),
    ...section(
      'Not imported',
      report.not_taken.map((item) => `${item.what}: ${item.count}; ${item.why}`),
    ),
    ...section('To know', report.notes),
    ...section('To decide', report.decisions),
  ]
    .map(printable)
    .join('\n');
}

const count = (n: number, singular: string, plural: string): string => `${n} ${n === 1 ? singular : plural}`;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  - ${line}`)];

function tableLines(tables: readonly TableReport[]): string[] {
  const head = ['table', 'read', 'taken', 'unchanged', 'updated', 'ended', 'left'];
  const rows = tables.map(({ table, read, taken, unchanged, updated, ended, left }) => [
    table,
    ...[read, taken, unchanged, updated, ended, Object.values(left).reduce((a, b) => a + b, 0)].map(String),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  const why = tables.flatMap(({ table, left }) =>
    Object.entries(left).map(([reason, n]) => `  ${table}: ${n} left, ${reason}`),
  );
  return [line(head), ...rows.map(line), ...why];
}
