import { type JsonResponse, request } from '../harness/request.ts';

/** Reads changes when all that was written is final. On PostgreSQL, changes wait for transactions of other tests too. */
export async function readSettled<T>(
  on: { readonly url: string },
  path: string,
  token: string,
): Promise<JsonResponse<T>> {
  for (;;) {
    const response = await request<T>(on, path, { token });
    const figures = await (await fetch(`${on.url}/metrics`)).text();
    if (/^gatehouse_changes_lag_seconds 0$/m.test(figures)) return response;
  }
}
