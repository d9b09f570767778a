import type { Json } from '../../src/http/openapi/openapi-components.ts';
import { closestName } from '../../src/platform/closest-name.ts';
import { badRequest } from '../../src/platform/errors.ts';

export type Arguments = Readonly<Record<string, unknown>>;

const isOf: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

/** Refuses unknown arguments and names the known ones, for the model. The API checks the values. */
export function checkArguments({ properties, required }: Json, given: Arguments): void {
  const known = properties as Record<string, Json>;
  for (const name of required as string[]) if (given[name] === undefined) throw badRequest(`"${name}" is missing.`);
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name))
      throw badRequest(`"${name}" is not known here.${choice(name, Object.keys(known))}`);
    const { type, enum: values, minimum, maximum } = known[name] as Json;
    if (!isOf[type as string]?.(value))
      throw badRequest(`"${name}" takes ${type === 'string' ? 'text' : `an ${type}`}.`);
    if (Array.isArray(values) && !values.includes(value)) {
      throw badRequest(
        `"${name}" cannot be "${String(value).slice(0, 100)}".${choice(String(value), values as string[])}`,
      );
    }
    if (typeof value === 'number' && (value < Number(minimum) || value > Number(maximum))) {
      throw badRequest(`"${name}" is from ${minimum} to ${maximum}.`);
    }
  }
}

function choice(given: string, names: readonly string[]): string {
  const near = closestName(given, names);
  return `${near ? ` Did you mean "${near}"?` : ''} There are: ${names.join(', ')}.`;
}
