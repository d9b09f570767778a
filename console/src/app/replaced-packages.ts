/** Replaces packages and parts that react-admin and MUI import but the console does not need (see `vite.config.ts`). */

/** `price_per_day` as "Price per day". */
export {
  humanizeName as capitalize,
  humanizeName as humanize,
  humanizeName as inflect,
  humanizeName as pluralize,
  humanizeName as singularize,
  humanizeName as transform,
} from '../text/presentation.ts';

/** Keyboard shortcuts of menu items. The console has none. */
export const useHotkeys = (): void => undefined;

/** Components that are never drawn. */
const nothing = (): null => null;
export const BulkActionsToolbar = nothing;
export const BulkDeleteButton = nothing;
export const Configurable = nothing;
export const CssVarsProvider = nothing;
export const DataTableBody = nothing;
export const FieldsSelector = nothing;
export const Inspector = nothing;

/** The two functions that react-admin needs of the package `query-string`. */
export const parse = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));
export function stringify(values: Record<string, unknown>): string {
  const defined = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(defined.map(([name, value]) => [name, String(value ?? '')])).toString();
}

/** Replaces the editable title with a plain one. */
export { PageTitle as PageTitleConfigurable } from '../../node_modules/ra-ui-materialui/dist/layout/PageTitle.js';

/** Replaces the packages for CSV files (see `extensions/bulk-operations`), for themes with CSS variables and for ripples. */
export default nothing;
