/** The operations of a peer, in the format of the benchmark. */
export const form = (path, body, includes, more = {}) => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...more.headers },
  body: new URLSearchParams(body).toString().replaceAll('%7B%7D', '{}').replaceAll('%23', '#'),
  expect: { status: 200, includes },
  ...(more.values ? { values: more.values, nextValue: more.nextValue } : {}),
});

export const authenticatedGet = (path, token, includes) => ({
  method: 'GET',
  path,
  headers: { accept: 'application/json', authorization: `Bearer ${token}` },
  expect: { status: 200, includes },
});

export async function postForm(url, body) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(json)}`);
  return json;
}
