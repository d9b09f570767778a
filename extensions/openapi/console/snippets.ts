/** How a program reads the data on the screen: the URL, a shell command, and a call of the client library. */
export function snippetsFor(base: string, resource: string, id?: string) {
  const path = `/v1/${resource}${id === undefined ? '' : `/${id}`}`;
  const call = id === undefined ? 'list({ limit: 20 })' : `get('${id}')`;
  return [
    { title: 'Address', text: base + path },
    {
      title: 'curl',
      text: `curl '${base}${path}' \\\n  -H 'Accept: application/json' \\\n  -H "Authorization: Bearer $TOKEN"`,
    },
    {
      title: 'Client',
      text: [
        "import { createGatehouse } from 'gatehouse-server/client';",
        '',
        `const gatehouse = createGatehouse({ baseUrl: '${base}', accessToken: process.env.TOKEN });`,
        `const { data } = await gatehouse.resource('${resource}').${call};`,
      ].join('\n'),
    },
  ];
}
