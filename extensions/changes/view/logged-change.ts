import { getOrCreate } from '../../../src/platform/get-or-create.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import type { Resource, Resources } from '../../../src/resources/model/resource.ts';
import { type RowShape, shapeOf } from '../../../src/resources/read/row-json.ts';
import type { StoredRow } from '../../../src/resources/sql/executor.ts';
import type { LogRow } from '../log/change-store.ts';
import { formatPosition } from '../log/position.ts';

/** The part of a change that a caller may see: the row before it, and the row after it. */
export interface VisibleSides {
  readonly before: boolean;
  readonly after: boolean;
}

const shapes = new WeakMap<Resource, RowShape>();

const shapeFor = (resource: Resource): RowShape =>
  getOrCreate(shapes, resource, () => shapeOf(resource, resource.changes ?? []));

/** Parses a row of the log. Undefined for a soft-deleted row. */
function readKept({ definition }: Resource, text: string | null): StoredRow | undefined {
  const row = text === null ? undefined : parseJson<StoredRow>(text);
  return definition.softDelete && row && row.deleted_at !== null ? undefined : row;
}

/** A change in the log. Its JSON is created once for all callers who see the same part. */
export class LoggedChange {
  readonly resource: Resource;
  readonly row: LogRow;
  readonly before: StoredRow | undefined;
  readonly after: StoredRow | undefined;
  readonly #json: (string | undefined)[] = [];

  constructor(resource: Resource, row: LogRow) {
    this.resource = resource;
    this.before = readKept(resource, row.before);
    this.after = readKept(resource, row.after);
    this.row = { ...row, operation: this.#operation(row) };
  }

  /** For a resource that keeps deleted rows, subscribers see a deletion as `deleted` and a restoration as `created`. */
  #operation({ operation, before, after }: LogRow): LogRow['operation'] {
    if (after !== null && !this.after) return 'deleted';
    return before !== null && !this.before ? 'created' : operation;
  }

  get position(): number {
    return this.row.position;
  }

  /** `left`: the row still exists, but the caller no longer sees it. */
  operationFor({ before, after }: VisibleSides): LogRow['operation'] | 'left' {
    return before && !after && this.after ? 'left' : this.row.operation;
  }

  /** The change as JSON. Undefined if the caller sees no part of it. For a row that left the view, only the id is shown. */
  jsonFor(sides: VisibleSides, history: string): string | undefined {
    const { before, after } = sides;
    if (!before && !after) return undefined;
    const kind = (before ? 1 : 0) + (after ? 2 : 0);
    this.#json[kind] ??= this.#write(sides, history);
    return this.#json[kind];
  }

  #write(sides: VisibleSides, history: string): string {
    const { position: number, row_id: id, version, actor, at } = this.row;
    const operation = this.operationFor(sides);
    const position = formatPosition(history, { number });
    const change = { position, resource: this.resource.name, id, operation };
    if (operation === 'left') return JSON.stringify(change);
    const head = JSON.stringify({ ...change, version });
    const { members } = shapeFor(this.resource);
    const rowJson = (row: StoredRow | undefined) => (row ? `{${members(row)}}` : 'null');
    const tail = JSON.stringify({ actor: actor === null ? null : JSON.parse(actor), at: new Date(at).toISOString() });
    return `${head.slice(0, -1)},"before":${rowJson(sides.before ? this.before : undefined)},"after":${rowJson(sides.after ? this.after : undefined)},${tail.slice(1)}`;
  }
}

/** The changes of these rows. It skips rows of resources that no longer exist. */
export const loggedChanges = (resources: Resources, rows: readonly LogRow[]): LoggedChange[] =>
  rows.flatMap((row) => {
    const resource = resources.get(row.resource);
    return resource ? [new LoggedChange(resource, row)] : [];
  });
