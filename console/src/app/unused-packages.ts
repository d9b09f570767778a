/** Stands in for packages that react-admin imports and the console does not need (see `vite.config.ts`). */

/** `price_per_day` as "Price per day". */
export function humanize(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
export const transform = humanize;
export const capitalize = humanize;
export const inflect = humanize;
export const pluralize = humanize;
export const singularize = humanize;

/** Shortcuts of menu items. There are none. */
export const useHotkeys = (): void => undefined;

/** Writes CSV files. `transfer/` does. */
export default function jsonExport(): void {}
