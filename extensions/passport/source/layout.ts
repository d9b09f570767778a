import { closestName } from '../../../src/platform/closest-name.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import type { Columns, Selection } from './source.ts';

/** A table of the old service. */
export interface FoundTable {
  readonly name: string;
  readonly columns: Columns;
}

/** The tables of the old database, of any version and with any prefix. */
export class Layout {
  readonly #tables: ReadonlyMap<string, Columns>;
  readonly prefix: string;

  constructor(tables: ReadonlyMap<string, Columns>, prefix: string | undefined) {
    this.#tables = tables;
    this.prefix = prefix ?? prefixIn(tables);
  }

  /** Finds a table by Laravel's name. A table without the prefix is found only if the operator named it (`orNamed`). */
  find(name: string, orNamed = false): FoundTable | undefined {
    const names = [`${this.prefix}${name}`, ...(orNamed ? [name] : [])];
    for (const candidate of names) {
      const columns = this.#tables.get(candidate);
      if (columns) return { name: candidate, columns };
    }
    return undefined;
  }

  /** Whether there is a table with this full name. */
  has(name: string): boolean {
    return this.#tables.has(name);
  }

  /** Like `find`, but throws if the table or a column is missing. */
  require(name: string, columns: readonly string[], advice: string, orNamed = false): FoundTable {
    const table = this.find(name, orNamed);
    if (!table) {
      const similarName = closestName(name, [...this.#tables.keys()]);
      throw new OperatorError(
        `The old database has no table "${this.prefix}${name}".${similarName ? ` Is it "${similarName}"?` : ''} ${advice}`,
      );
    }
    if (table.columns.get('id') === 'binary') {
      throw new OperatorError(
        `The ids of ${table.name} are binary, so their text does not distinguish rows. Provide a view with ids as text.`,
      );
    }
    const missing = columns.filter((column) => !table.columns.has(column));
    if (missing.length === 0) return table;
    throw new OperatorError(`The table ${table.name} has no column ${missing.join(', ')}. ${advice}`);
  }
}

const marker = 'oauth_access_tokens';

function prefixIn(tables: ReadonlyMap<string, Columns>): string {
  const matches = [...tables.keys()].filter((name) => name.endsWith(marker));
  if (matches.includes(marker) || matches.length === 0) return '';
  const prefixes = matches.map((name) => name.slice(0, -marker.length));
  const [only, another] = prefixes;
  if (only !== undefined && another === undefined) return only;
  throw new OperatorError(
    `The old database contains several services: choose one with --prefix ${prefixes.join(' or ')}.`,
  );
}

/** Selects the columns with these names that the table has. */
export function select<K extends string>(table: FoundTable, key: K, columnNames: readonly string[]): Selection<K> {
  const columns = [key, ...columnNames].filter((name, i, all) => table.columns.has(name) && all.indexOf(name) === i);
  return { table: table.name, key, keyKind: table.columns.get(key) ?? 'other', columns };
}
