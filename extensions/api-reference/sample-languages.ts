export interface SampleRequest {
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

export function python({ method, url, accepts, secured, body }: SampleRequest): string {
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

export function go({ method, url, accepts, secured, body }: SampleRequest): string {
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

export function php({ method, url, accepts, secured, body }: SampleRequest): string {
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
