/** A request that is sent to one server thousands of times. */
export interface BenchRequest {
  readonly method: string;
  /** `{}` in path or body stands for the next of `values`, `#` in the body for a number that never repeats. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly values?: readonly string[];
  /** The name of the JSON field in the response that contains the next value (a refresh token is used once). */
  readonly nextValue?: string;
  readonly expect: { readonly status: number; readonly includes?: string };
}

export type Operations = Readonly<Record<string, BenchRequest>>;

/** Sends the request once and throws if the response is not the expected one. */
export async function checkOnce(url: string, name: string, request: BenchRequest): Promise<void> {
  const value = request.values?.[0] ?? '';
  const body = request.body?.replaceAll('{}', value).replaceAll('#', `check${process.hrtime.bigint()}`);
  const response = await fetch(url + request.path.replaceAll('{}', value), {
    method: request.method,
    headers: request.headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const { status, includes = '' } = request.expect;
  if (response.status !== status || !text.includes(includes)) {
    throw new Error(
      `${name}: ${request.method} ${url}${request.path} returned ${response.status}, expected ${status} with ${JSON.stringify(includes)}: ${text.slice(0, 300)}`,
    );
  }
}
