import type { Resources } from '../../../src/resources/model/resource.ts';

/** `car-part` → `CarPart`. */
export const pascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join('');

/**
 * The name of each resource in the API description: its singular, or its plural if a schema of another resource or of the service has the
 * name. `schemaNames` are the names of all schemas: `Problem`, `{books}`, `{books}Input`, …
 */
export function componentNames(resources: Resources, schemaNames: ReadonlySet<string>): ReadonlyMap<string, string> {
  const usedNames = new Set([...schemaNames].filter((name) => !name.startsWith('{')));
  const names = new Map<string, string>();
  for (const resource of resources.values()) {
    const prefix = `{${resource.name}}`;
    const endings = [...schemaNames].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    const plural = pascalCase(resource.name);
    const candidates = [pascalCase(resource.singular), plural, `${plural}Resource`].filter((name) =>
      /^[A-Z]/.test(name),
    );
    const isFree = (name: string) => endings.every((ending) => !usedNames.has(name + ending));
    let name = candidates.find(isFree);
    for (let i = 2; name === undefined; i++) if (isFree(`${plural}${i}`)) name = `${plural}${i}`;
    for (const ending of endings) usedNames.add(name + ending);
    names.set(resource.name, name);
  }
  return names;
}
