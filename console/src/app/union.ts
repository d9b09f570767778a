/** Replaces lodash's union, which would add 13 kB (see `vite.config.ts`). */
export default function union<T>(...lists: readonly (readonly T[] | undefined)[]): T[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}
