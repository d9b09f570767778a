import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { builtinResources, removals } from './builtin-resources.ts';
import { locale, lowerCaseFirst, translate } from './translate.ts';

const builtins = new Map(Object.entries(builtinResources));

export const isBuiltin = ({ name }: ResourceDescription): boolean => builtins.has(name);
export const isUnlisted = (name: string): boolean => builtins.get(name)?.unlisted === true;
export const builtinNames: readonly string[] = [...builtins.keys()];

/** The plural name of the rows with a capital letter: "Cars". */
export function labelOf(of: string | Pick<ResourceDescription, 'name' | 'label'>): string {
  const { name, label } = typeof of === 'string' ? { name: of, label: undefined } : of;
  return translate(builtins.get(name)?.label ?? humanizeName(label ?? name));
}

/** "1 car", "25 cars", "100,000 cars". */
export function countText(count: number, description: ResourceDescription): string {
  const word = count === 1 ? singularOf(description) : labelOf(description);
  return `${count.toLocaleString(locale)} ${lowerCaseFirst(word)}`;
}

/** The name of one row with a capital letter: "Car". */
export const singularOf = ({ singular }: Pick<ResourceDescription, 'singular'>): string =>
  translate(humanizeName(singular));

/** "Deleting 25 cars", in the requested form. */
export const removalText = (
  { name }: ResourceDescription,
  form: keyof (typeof removals)['Delete'],
  values: { what?: string; thing?: string; row?: string } = {},
): string => translate(removals[builtins.get(name)?.remove ?? 'Delete'][form], values);
export const removeWarningOf = ({ name, softDelete }: ResourceDescription): string =>
  translate(builtins.get(name)?.removeWarning ?? (softDelete ? 'You can restore it later.' : 'This cannot be undone.'));
export const firstStepsOf = ({ name }: ResourceDescription): readonly string[] => builtins.get(name)?.steps ?? [];
export const emptyTextOf = ({ name, label }: ResourceDescription): string =>
  translate(builtins.get(name)?.empty ?? 'No {things} yet.', { things: lowerCaseFirst(labelOf({ name, label })) });

/** The help below a field's control. It may differ between a new row and an existing one. */
export function helpOf(resource: string, { name, hint, description }: FieldDescription, isNew: boolean) {
  const help = builtins.get(resource)?.help?.[name];
  const chosen = typeof help === 'object' ? (isNew ? help.ofNew : help.ofKept) : help;
  return translated(chosen ?? hint ?? description);
}

const translated = (text: string | undefined): string | undefined => text && translate(text);

/** Whether a row has this field. Only applications have redirect URIs, for example. */
export function hasField(resource: string, field: string, row: Record<string, unknown> | undefined): boolean {
  if (field === 'deleted_at' && row?.deleted_at === null) return false;
  const only = builtins.get(resource)?.only;
  return !only?.fields.includes(field) || row?.[only.field] === only.value;
}

/** `owner_id` is "Owner", `created_at` is "Created", `email_confirmed` is "Email confirmed". */
export function fieldLabel({ name, type, label, references }: Named): string {
  if (label !== undefined) return translate(label);
  if (references !== undefined) return translate(humanizeName(name.replace(/_id$/, '')));
  return spelled(translate(humanizeName(type === 'timestamp' || type === undefined ? name.replace(/_at$/, '') : name)));
}

/** "Redirect uris" is "Redirect URIs". */
const spelled = (label: string): string =>
  label.replace(
    /\b(uri|url|id|jwks|pkce|fapi)(s?)\b/gi,
    (_, word: string, plural: string) => word.toUpperCase() + plural,
  );

type Named = Pick<FieldDescription, 'name' | 'references'> & Partial<Pick<FieldDescription, 'type' | 'label'>>;

export function humanizeName(name: string): string {
  const words = name.replace(/[_-]+/g, ' ').trim();
  return words === 'id' ? 'ID' : words.charAt(0).toUpperCase() + words.slice(1);
}

const telling = ['name', 'title', 'label', 'email', 'username', 'phone', 'type'];

/** The field that identifies a row for people: its name or a similar field, otherwise its first required text. */
export function nameField({ fields }: ResourceDescription): FieldDescription | undefined {
  const readable = fields.filter(({ writeOnly }) => !writeOnly);
  return (
    telling.map((name) => readable.find((field) => field.name === name)).find((field) => field !== undefined) ??
    readable.find(({ type, required, readOnly }) => type === 'text' && required && !readOnly) ??
    readable.find(({ type, name }) => type === 'text' && name !== 'id')
  );
}

const mostSearched = 10;

/** The fields of a search box: every searchable text, starting with the field that identifies a row. */
export function searchedFields(description: ResourceDescription): FieldDescription[] {
  const rank = ({ name }: FieldDescription) => (telling.includes(name) ? telling.indexOf(name) : telling.length);
  return description.fields
    .filter((field) => field.searchable && field.type === 'text')
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, mostSearched);
}

/** The name of a row in links and titles. A user without a name has another identifier. */
export function rowName(description: ResourceDescription, row: Record<string, unknown>): string {
  const first = nameField(description)?.name;
  const value = [first, ...telling]
    .map((name) => name && row[name])
    .find((found): found is string => typeof found === 'string' && found !== '');
  return value ?? shortId(String(row.id ?? ''));
}

/** Distinguishes two rows with the same name, for example by the email of a person. */
export function rowDetail(description: ResourceDescription, row: Record<string, unknown>): string | undefined {
  const name = rowName(description, row);
  const fieldNames = [
    'email',
    'username',
    'phone',
    'type',
    'description',
    ...searchedFields(description).map((field) => field.name),
  ];
  return fieldNames
    .map((field) => (field === 'realm' ? undefined : row[field]))
    .find((found): found is string => typeof found === 'string' && found !== '' && found !== name);
}

/** The path of a list with a filter. */
export const listPath = (resource: string, filter: object): string =>
  `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

/** The path of the page of a row. */
export const showPath = (resource: string, id: unknown): string =>
  `/${resource}/${encodeURIComponent(String(id))}/show`;

/** The end of a UUIDv7 is its random part. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);

/** Columns of people that combine several fields, or come from another resource. */
const shownBesides = new Map<string, FieldDescription>([
  ['person', { name: 'name', type: 'person', sortable: true }],
  ['status', { name: 'status', type: 'status' }],
  ['last_sign_in', { name: 'last_sign_in', type: 'last_sign_in' }],
]);

const seldom = new Set(['updated_at', 'deleted_at']);

/** The columns of a list: a fixed choice for known resources, otherwise the first fields that fit. */
export function columnsOf(description: ResourceDescription, limit = 7): FieldDescription[] {
  const readable = description.fields.filter(({ writeOnly, name }) => !writeOnly && name !== 'id');
  const builtinColumns = builtins.get(description.name)?.columns;
  if (builtinColumns)
    return builtinColumns.flatMap(
      (name) => readable.find((field) => field.name === name) ?? shownBesides.get(name) ?? [],
    );
  const first = nameField(description);
  const rest = readable.filter((field) => field !== first && field.type !== 'json' && !seldom.has(field.name));
  // The owner of a row is more important than its fifth field.
  const owners = rest.filter(({ references }) => references !== undefined).slice(0, 2);
  const otherFields = rest.filter((field) => !owners.includes(field));
  if (!first) return [...owners, ...otherFields].slice(0, limit);
  return [first, ...otherFields.slice(0, limit - owners.length - 1), ...owners];
}

/** The declared order, otherwise newest first if the rows have a time, otherwise by name. */
export function defaultOrderOf(description: ResourceDescription): { field: string; order: 'ASC' | 'DESC' } {
  const [, minus, field] = /^(-?)(.+)$/.exec(description.defaultOrder ?? '') ?? [];
  if (field !== undefined) return { field, order: minus ? 'DESC' : 'ASC' };
  const sortable = new Set(description.fields.filter(({ sortable }) => sortable).map(({ name }) => name));
  const first = nameField(description);
  if (!isBuiltin(description) && first && sortable.has(first.name)) return { field: first.name, order: 'ASC' };
  if (sortable.has('created_at')) return { field: 'created_at', order: 'DESC' };
  return { field: 'id', order: 'DESC' };
}
