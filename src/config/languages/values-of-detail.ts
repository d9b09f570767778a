/** What the API's own sentence about a field holds that a translation can use: the figure and the list of it. */
export function valuesOfDetail(detail: string): { limit: string; values: string } {
  return {
    limit: /(-?\d[\d.]*)\D*$/.exec(detail)?.[1]?.replace(/\.$/, '') ?? '',
    values: /: (.+?)\.?$/.exec(detail)?.[1] ?? '',
  };
}
