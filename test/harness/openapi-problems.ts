import { lintFromString, loadConfig } from '@redocly/openapi-core';

/** What a linter finds in an OpenAPI document. `loadConfig`, because the type of `createConfig` takes the compiler seconds. */
export async function openApiProblems(source: string): Promise<string[]> {
  const config = await loadConfig({ customExtends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}
