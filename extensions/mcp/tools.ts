import { isReading, type Right, type Rights } from './rights.ts';
import {
  actInput,
  actionsOf,
  describeInput,
  inputOf,
  type ObjectSchema,
  outputs,
  restoreInput,
  softDeletable,
} from './tool-schemas.ts';

export type ToolName = Right | 'describe' | 'act' | 'restore';

/** A tool in the form of `tools/list`. */
export interface Tool {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: false;
  };
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const writes = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false } as const;

const texts: Record<ToolName, readonly [title: string, description: string, hints: Tool['annotations']]> = {
  describe: [
    'Describe resources and rights',
    'Describes the resources, their fields, relations and actions, and your rights to each. Call it first.',
    reads,
  ],
  list: [
    'List rows',
    'Lists rows of a resource: searched, sorted, page by page. Ask for few fields (filter). Counts and sums them with aggregate.',
    reads,
  ],
  get: ['Get a row', 'Gets one row by its id, with the etag that a safe update needs.', reads],
  create: [
    'Create a row',
    'Creates a row. Send an idempotency_key, so that a retry does not create a second row.',
    { ...writes, destructiveHint: false },
  ],
  update: ['Change a row', 'Changes the fields that values names, and no others.', { ...writes, idempotentHint: true }],
  delete: [
    'Delete a row',
    'Deletes one row. Ask the person first. It can be restored only if describe shows softDelete.',
    { ...writes, idempotentHint: true },
  ],
  restore: [
    'Restore a row',
    'Restores a row that was deleted.',
    { ...writes, destructiveHint: false, idempotentHint: true },
  ],
  act: ['Run an action', 'Runs an action that the service declares.', writes],
};

/** The tools for a caller with these rights. Omits tools that would always be rejected. */
export function toolsFor(rights: readonly Rights[]): Tool[] {
  const tools = [tool('describe', describeInput(rights))];
  for (const right of ['list', 'get', 'create', 'update', 'delete'] as const) {
    const matchingRights = rights.filter(({ may }) => may.has(right));
    if (matchingRights.length > 0) tools.push(tool(right, inputOf(right, matchingRights)));
  }
  const restorable = softDeletable(rights.filter(({ may }) => may.has('delete')));
  if (restorable.length > 0) tools.push(tool('restore', restoreInput(restorable)));
  const actions = actionsOf(rights);
  if (actions.length > 0) {
    tools.push(tool('act', actInput(rights), actions.every(({ action }) => isReading(action)) ? reads : undefined));
  }
  return tools;
}

function tool(name: ToolName, inputSchema: ObjectSchema, hints?: Tool['annotations']): Tool {
  const [title, description, annotations] = texts[name];
  return { name, title, description, inputSchema, outputSchema: outputs[name], annotations: hints ?? annotations };
}
