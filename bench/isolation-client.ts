// A process that works while `isolation.ts` measures: node isolation-client.ts WORK URL HEADERS MILLISECONDS
const [work, url, headersJson, ms] = process.argv.slice(2) as [string, string, string, string];
const headers = JSON.parse(headersJson) as Record<string, string>;
const until = performance.now() + Number(ms);

async function walk(): Promise<void> {
  let cursor = '';
  while (performance.now() < until) {
    const response = await fetch(`${url}/v1/cars?limit=100&cursor=${encodeURIComponent(cursor)}`, { headers });
    const { meta } = (await response.json()) as { meta: { pagination: { next_cursor: string | null } } };
    cursor = meta.pagination.next_cursor ?? '';
  }
}

async function importCars(): Promise<void> {
  const response = await fetch(`${url}/v1/owners?limit=1`, { headers });
  const { data } = (await response.json()) as { data: { id: string }[] };
  const body = JSON.stringify({ plate: 'NEW', color: 'Red', owner_id: data[0]?.id });
  const sender = async () => {
    while (performance.now() < until) {
      await fetch(`${url}/v1/cars`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
}

async function compute(): Promise<void> {
  while (performance.now() < until);
}

const works: Record<string, () => Promise<void>> = { walk, importCars, compute };
await works[work]?.();
