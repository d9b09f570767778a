export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a body; none if it is no object. */
export const asObject = (body: unknown): Readonly<Record<string, unknown>> => (isObject(body) ? body : {});
