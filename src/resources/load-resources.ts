import { importFile, modulesIn } from '../config/import-file.ts';
import { OperatorError } from '../platform/errors.ts';
import type { ResourceDefinition } from './declaration/define-resource.ts';

const notDeclared =
  'it must `export default defineResource({ name, fields, access })`. Put other files into another folder.';

export async function loadResources(dir: string): Promise<ResourceDefinition[]> {
  const definitions: ResourceDefinition[] = [];
  const problems: string[] = [];
  for (const file of modulesIn(dir, { recursive: true })) {
    try {
      const { default: definition } = await importFile(file);
      if (isDefinition(definition)) definitions.push({ ...definition, file });
      else problems.push(`${file}: ${notDeclared}`);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'));
  return definitions;
}

/** Whether a value comes from `defineResource`. All declarations are checked together later. */
const isDefinition = (value: unknown): value is ResourceDefinition =>
  typeof value === 'object' && value !== null && 'managed' in value;
