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

const reservedNames = [
  ...['Problem', 'Pagination', 'Acknowledgement'],
  ...['OAuthError', 'OAuthTokenRequest', 'OAuthTokens', 'OAuthIntrospection'],
];

export const singularOf = ({ name, singular }: ResourceDefinition): string => singular ?? name.replace(/s$/, '');

/** The name of each resource in the API description: its singular, or its plural if two have the same singular. */
export function componentNames(definitions: readonly ResourceDefinition[]): ReadonlyMap<string, string> {
  const usedNames = new Set(reservedNames);
  const names = new Map<string, string>();
  for (const definition of definitions) {
    const plural = pascalCase(definition.name);
    const candidates = [pascalCase(singularOf(definition)), plural, `${plural}Resource`].filter((name) =>
      /^[A-Z]/.test(name),
    );
    const isFree = (name: string) => componentEndings.every((ending) => !usedNames.has(name + ending));
    let name = candidates.find(isFree);
    for (let i = 2; name === undefined; i++) if (isFree(`${plural}${i}`)) name = `${plural}${i}`;
    for (const ending of componentEndings) usedNames.add(name + ending);
    names.set(definition.name, name);
  }
  return names;
}
