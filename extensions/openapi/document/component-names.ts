import type { Resources } from '../../../src/resources/model/resource.ts';

/** `car-part` → `CarPart`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('');

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

/** The name of each resource in the API description: its singular, or its plural if two have the same singular. */
export function componentNames(resources: Resources): ReadonlyMap<string, string> {
  const usedNames = new Set(reservedNames);
  const names = new Map<string, string>();
  for (const resource of resources.values()) {
    const plural = pascalCase(resource.name);
    const candidates = [pascalCase(resource.singular), plural, `${plural}Resource`].filter((name) =>
      /^[A-Z]/.test(name),
    );
    const isFree = (name: string) => componentEndings.every((ending) => !usedNames.has(name + ending));
    let name = candidates.find(isFree);
    for (let i = 2; name === undefined; i++) if (isFree(`${plural}${i}`)) name = `${plural}${i}`;
    for (const ending of componentEndings) usedNames.add(name + ending);
    names.set(resource.name, name);
  }
  return names;
}
