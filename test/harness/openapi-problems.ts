import { lintFromString, loadConfig } from '@redocly/openapi-core';
import Schema from 'typebox/schema';

/** What a linter finds in an OpenAPI document. `loadConfig`, because the type of `createConfig` takes the compiler seconds. */
export async function openApiProblems(source: string): Promise<string[]> {
  const config = await loadConfig({ customExtends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer})`);
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface Operation {
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface Exchange {
  readonly method: string;
  readonly path: string;
  /** The JSON of the request. */
  readonly json?: unknown;
  readonly status: number;
  /** The body of the response. */
  readonly text: string;
}

/** How a request and its response differ from the OpenAPI document. */
export function differencesFrom(source: string): (exchange: Exchange) => string[] {
  const { paths, components } = JSON.parse(source) as {
    paths: Record<string, Record<string, Operation>>;
    components: object;
  };
  const templates = Object.keys(paths).sort((a, b) => a.split('{').length - b.split('{').length);
  const matches = (template: string, path: string) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
  const invalid = (what: string, { content = {} }: Content, text: string) => {
    const [media] = Object.values(content);
    if (!media?.schema) return text === '' ? [] : [`${what}: there is a body, and none is documented`];
    const [, errors] = Schema.Compile({ allOf: [media.schema], components }).Errors(JSON.parse(text));
    return errors.map(({ instancePath, message }) => `${what}${instancePath}: ${message}`);
  };
  return ({ method, path, json, status, text }) => {
    const [pathname = ''] = path.split('?');
    const template = templates.find((one) => matches(one, pathname) && paths[one]?.[method.toLowerCase()]);
    const operation = template && paths[template]?.[method.toLowerCase()];
    if (!operation) return ['the operation is not documented'];
    const response = operation.responses[status] ?? (status < 400 ? undefined : operation.responses.default);
    return [
      ...(json === undefined ? [] : invalid('request', operation.requestBody ?? {}, JSON.stringify(json))),
      ...(response ? invalid('response', response, text) : [`the status ${status} is not documented`]),
    ];
  };
}
