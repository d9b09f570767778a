import { randomBytes } from 'node:crypto';
import { didYouMean } from '../../src/resources/declaration/check-options.ts';
import type { ResourceCalls, ResourceName, ServiceResourceOf } from '../../src/resources/declaration/resource-calls.ts';
import type { Resource, ResourceField, Resources } from '../../src/resources/model/resource.ts';

type Create<N> = ResourceCalls<N, 'service'>['create'];

/** Creates a row, with made-up values for required fields that `values` lacks. */
export type MakeRow = <N extends ResourceName>(
  name: N,
  values?: Partial<Parameters<Create<N>>[0]>,
) => Promise<Awaited<ReturnType<Create<N>>>>;

/** Also creates the rows to which a row must refer. */
export function rowFactory(resources: Resources, resourceOf: ServiceResourceOf): MakeRow {
  const make = async (name: string, values: Record<string, unknown> = {}, depth = 0): Promise<{ id: string }> => {
    const resource = resources.get(name);
    if (!resource) throw new Error(`make("${name}"): there is no such resource.${didYouMean(name, resources.keys())}`);
    if (depth > 10) throw new Error(`make("${name}"): its references form a cycle. Pass the ids that it needs.`);
    const row: Record<string, unknown> = name === 'users' ? newUser() : {};
    for (const field of resource.fields.values()) {
      const { name: fieldName, options } = field;
      if (fieldName in values || fieldName in row || !isRequired(field)) continue;
      row[fieldName] = options.target ? (await make(options.target, {}, depth + 1)).id : generateValue(resource, field);
    }
    return resourceOf(name).create({ ...row, ...values });
  };
  return ((name: string, values?: Record<string, unknown>) => make(name, values)) as MakeRow;
}

const isRequired = ({ options, compute, sendable }: ResourceField): boolean =>
  sendable &&
  !compute &&
  (options.required === true || options.requiredToCreate === true) &&
  (options.default === undefined || (options.target !== undefined && typeof options.default === 'function'));

const randomHex = (): string => randomBytes(4).toString('hex');

const newUser = (): Record<string, unknown> => ({
  email: `user-${randomHex()}@example.com`,
  password: randomBytes(12).toString('base64url'),
});

/** A valid value: the example, or a random one for a unique field. */
function generateValue(resource: Resource, field: ResourceField): unknown {
  const { type, options, name } = field;
  const { examples = [], enum: values = [], ...schema } = type.schema(options) as Schema;
  const example = options.example ?? options.values?.[0] ?? examples[0] ?? values[0];
  const isUnique = options.unique || resource.definition.uniqueTogether?.some((names) => names.includes(name));
  const number = Number.parseInt(randomHex(), 16);
  const min = options.min ?? 0;
  const numbers = [min + (number % Math.max(1, (options.max ?? min + 1_000_000_000) - min)), min];
  const texts = [
    `${example ?? name} ${randomHex()}`,
    `${example ?? name}-${randomHex()}`,
    randomHex(),
    randomHex().toUpperCase(),
  ];
  const variants = schema.type === 'string' ? texts : numbers;
  const candidates = isUnique ? [...variants, example] : [example, ...variants];
  const validValue = candidates.find((value) => value !== undefined && !type.check(value, options));
  if (validValue !== undefined) return validValue;
  throw new Error(
    `make("${resource.name}"): no value for "${name}" could be generated. Pass one, or declare an example.`,
  );
}

interface Schema {
  readonly type?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
}
