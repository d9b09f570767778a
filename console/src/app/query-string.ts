/** Replaces the package `query-string` for react-admin, which needs only these two functions (see `vite.config.ts`). */

export const parse = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

export function stringify(values: Record<string, unknown>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value ?? '')])).toString();
}
