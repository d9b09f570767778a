// A process that works while `isolation.ts` measures: node isolation-client.ts WORK URL HEADERS MILLISECONDS
const [work, url, headersJson, ms] = process.argv.slice(2) as [string, string, string, string];
const headers = JSON.parse(headersJson) as Record<string, string>;
const until = performance.now() + Number(ms);

async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(url + path, { ...options, headers: { ...headers, 'content-type': 'application/json' } });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  return response;
}

async function walk(): Promise<void> {
  let cursor = '';
  while (performance.now() < until) {
    const response = await request(`/v1/cars?limit=100&cursor=${encodeURIComponent(cursor)}`);
    const { meta } = (await response.json()) as { meta: { pagination: { next_cursor: string | null } } };
    cursor = meta.pagination.next_cursor ?? '';
  }
}

async function importCars(): Promise<void> {
  const response = await request('/v1/owners?limit=1');
  const { data } = (await response.json()) as { data: { id: string }[] };
  const body = JSON.stringify({ plate: 'NEW', color: 'Red', owner_id: data[0]?.id });
  const sender = async () => {
    while (performance.now() < until) {
      const created = await request('/v1/cars', { method: 'POST', body });
      await created.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
}

async function compute(): Promise<void> {
  while (performance.now() < until);
}

const works: Record<string, () => Promise<void>> = { walk, importCars, compute };
await works[work]?.();
