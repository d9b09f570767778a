import { type DescribedOperation, exampleOf, type Parameter } from './example-of.ts';
import type { Json, Schemas } from './json-schema.ts';

/** An operation to write samples for. */
interface SampleTarget {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly schemas: Schemas;
}

interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly accepts: boolean;
  /** Whether the request needs a token. Samples read the token from the environment. */
  readonly secured: boolean;
  readonly body: unknown;
}

const json = (value: unknown): string => JSON.stringify(value);

/** A JSON value as a Python expression. JSON strings are valid in Python. */
function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return json(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${json(name)}: ${pythonValue(member)}`)
    .join(', ')}}`;
}

function python({ method, url, accepts, secured, body }: SampleRequest): string {
  const headers = [
    ...(accepts ? ['"Accept": "application/json"'] : []),
    ...(secured ? ['"Authorization": f"Bearer {os.environ[\'ACCESS\']}"'] : []),
  ];
  const options = [
    `${json(method.toUpperCase())}, ${json(url)}`,
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
    ...(body === undefined ? [] : [`json=${pythonValue(body)}`]),
  ];
  return `${secured ? 'import os\n' : ''}import requests

response = requests.request(${options.join(', ')})
response.raise_for_status()
print(response.text)`;
}

function go({ method, url, accepts, secured, body }: SampleRequest): string {
  const content = body === undefined ? 'nil' : `strings.NewReader(${json(json(body))})`;
  const header = (name: string, value: string) => `request.Header.Set("${name}", ${value})`;
  return [
    `request, _ := http.NewRequest("${method.toUpperCase()}", ${json(url)}, ${content})`,
    ...(accepts ? [header('Accept', '"application/json"')] : []),
    ...(secured ? [header('Authorization', '"Bearer "+os.Getenv("ACCESS")')] : []),
    ...(body === undefined ? [] : [header('Content-Type', '"application/json"')]),
    'response, err := http.DefaultClient.Do(request)',
  ].join('\n');
}

const phpText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function php({ method, url, accepts, secured, body }: SampleRequest): string {
  const headers = [
    ...(accepts ? ["'Accept: application/json'"] : []),
    ...(secured ? ["'Authorization: Bearer ' . getenv('ACCESS')"] : []),
    ...(body === undefined ? [] : ["'Content-Type: application/json'"]),
  ];
  const options = [
    `CURLOPT_CUSTOMREQUEST => '${method.toUpperCase()}',`,
    ...(headers.length > 0 ? [`CURLOPT_HTTPHEADER => [${headers.join(', ')}],`] : []),
    ...(body === undefined ? [] : [`CURLOPT_POSTFIELDS => ${phpText(json(body))},`]),
    'CURLOPT_RETURNTRANSFER => true,',
  ];
  return `$request = curl_init(${phpText(url)});
curl_setopt_array($request, [
${options.map((option) => `    ${option}`).join('\n')}
]);
$response = curl_exec($request);`;
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Samples for the shell, the client and other languages. */
export function codeSamples(operation: DescribedOperation, target: SampleTarget): Json[] {
  const client = clientCall(operation, target);
  const request = {
    method: target.method,
    url: target.baseUrl + fillPath(target.path, operation, target.schemas) + queryOf(operation, target.schemas),
    accepts: target.path.startsWith('/v1'),
    secured: operation.security?.some((scheme) => 'bearer' in scheme) === true,
    body: bodyOf(operation),
  };
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    ...(client === '' ? [] : [{ lang: 'TypeScript', label: 'client', source: client }]),
    { lang: 'Python', label: 'Python', source: python(request) },
    { lang: 'Go', label: 'Go', source: go(request) },
    { lang: 'PHP', label: 'PHP', source: php(request) },
  ];
}

function curl({ method, url, accepts, secured, body }: SampleRequest): string {
  const lines = [`curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}${shellQuote(url)}`];
  if (accepts) lines.push("-H 'Accept: application/json'");
  if (secured) lines.push('-H "Authorization: Bearer $ACCESS"');
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${shellQuote(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

function clientCall(operation: DescribedOperation, { method, path, schemas }: SampleTarget): string {
  const clientTemplate = operation['x-client'];
  const body = bodyOf(operation);
  const bodyText = body === undefined ? '' : literal(body);
  // A function, because `$` has a meaning in a replacement text.
  if (clientTemplate !== undefined) return clientTemplate.replaceAll('{body}', () => bodyText);
  const address = fillPath(path, operation, schemas) + queryOf(operation, schemas);
  const parts = [
    `method: '${method.toUpperCase()}'`,
    `path: '${address}'`,
    ...(body === undefined ? [] : [`body: ${bodyText}`]),
  ];
  return `const { body } = await gatehouse.call({ ${parts.join(', ')} });`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string' && !/['\\\n]/.test(value)) return `'${value}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${key}: ${literal(member)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function bodyOf({ requestBody }: DescribedOperation): unknown {
  return requestBody?.content?.['application/json']?.example;
}

const parameterExample = ({ example, schema = {} }: Parameter, schemas: Schemas): unknown =>
  example ?? exampleOf(schema, schemas);

function fillPath(path: string, { parameters = [] }: DescribedOperation, schemas: Schemas): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((candidate) => candidate.in === 'path' && candidate.name === name);
    return encodeURIComponent(String(parameter && parameterExample(parameter, schemas)));
  });
}

function queryOf({ parameters = [] }: DescribedOperation, schemas: Schemas): string {
  const requiredParameters = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const pairs = requiredParameters.map((parameter) => [parameter.name, String(parameterExample(parameter, schemas))]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
