import type { Api } from './api.ts';
import { callApi, pathOf, rowOf } from './call-tool.ts';
import { describeRights } from './describe.ts';
import { type Rights, resourceNamed } from './rights.ts';

/** The protocol's resources: declared resources (`gatehouse:///cars`) and single rows (`gatehouse:///cars/…`). */
const scheme = 'gatehouse:';
const addressOf = (name: string): string => `${scheme}///${name}`;
const rowTemplate = `${scheme}///{resource}/{id}`;
const mimeType = 'application/json';

export const listDocuments = (rights: readonly Rights[]) =>
  rights.map(({ resource: { name, definition } }) => ({
    uri: addressOf(name),
    name,
    title: `What ${name} are`,
    description: definition.description ?? `The fields, relations and actions of ${name}.`,
    mimeType,
  }));

const gettable = (rights: readonly Rights[]): Rights[] => rights.filter(({ may }) => may.has('get'));

export function listTemplates(rights: readonly Rights[]) {
  const names = gettable(rights).map(({ resource }) => resource.name);
  if (names.length === 0) return [];
  const description = `One row by its id. resource is one of: ${names.join(', ')}.`;
  return [{ uriTemplate: rowTemplate, name: 'row', title: 'A row', description, mimeType }];
}

/** Finds the target of a URI: a resource that the caller may use, and optionally one of its rows. */
export function findDocument(rights: readonly Rights[], uri: string): { name: string; id?: string } | undefined {
  const url = URL.parse(uri);
  if (url?.protocol !== scheme || url.host !== '' || url.search !== '' || url.hash !== '') return undefined;
  const [, name = '', id, ...more] = url.pathname.split('/');
  if (more.length > 0) return undefined;
  const usableRights = id === undefined ? rights : gettable(rights);
  if (!usableRights.some(({ resource }) => resource.name === name)) return undefined;
  if (id === undefined) return { name };
  try {
    return { name, id: decodeURIComponent(id) };
  } catch {
    return undefined;
  }
}

export async function readDocument(
  rights: readonly Rights[],
  { name, id }: { name: string; id?: string },
  api: () => Promise<Api>,
): Promise<Record<string, unknown>> {
  if (id === undefined) return describeRights(rights, name);
  const resource = resourceNamed(rights, name);
  return rowOf(await callApi(await api(), { method: 'GET', path: pathOf(resource, { id }) }));
}

/** The names of resources that begin with the typed text. */
export const completeName = (rights: readonly Rights[], typed: string, rowsAlone: boolean): string[] =>
  (rowsAlone ? gettable(rights) : rights)
    .map(({ resource }) => resource.name)
    .filter((name) => name.startsWith(typed))
    .slice(0, 100);
