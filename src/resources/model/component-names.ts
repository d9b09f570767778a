import { pascalCase } from '../../http/openapi/openapi-components.ts';
import type { ResourceDefinition } from '../declaration/define-resource.ts';

/** The suffixes of the type names of one resource: `Book`, `BookInput`, `BookList`, … */
const componentEndings = [
  '',
  'Input',
  'Replacement',
  'Patch',
  'Response',
  'List',
  'Aggregate',
  'Created',
  'CreatedResponse',
];

const taken = [
  ...['Problem', 'Pagination', 'Acknowledgement'],
  ...['OAuthError', 'OAuthTokenRequest', 'OAuthTokens', 'OAuthIntrospection'],
];

export const singularOf = ({ name, singular }: ResourceDefinition): string => singular ?? name.replace(/s$/, '');

/** The name of each resource in the API description: its singular, or its plural if two have the same singular. */
export function componentNames(definitions: readonly ResourceDefinition[]): ReadonlyMap<string, string> {
  const used = new Set(taken);
  const names = new Map<string, string>();
  for (const definition of definitions) {
    const all = pascalCase(definition.name);
    const candidates = [pascalCase(singularOf(definition)), all, `${all}Resource`].filter((name) =>
      /^[A-Z]/.test(name),
    );
    const isFree = (name: string) => componentEndings.every((ending) => !used.has(name + ending));
    let name = candidates.find(isFree);
    for (let i = 2; name === undefined; i++) if (isFree(`${all}${i}`)) name = `${all}${i}`;
    for (const ending of componentEndings) used.add(name + ending);
    names.set(definition.name, name);
  }
  return names;
}
