import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { gatehouse, home, root } from '../../../console/src/data/api.ts';
import { type ResourceDescription, useDescriptions } from '../../../console/src/data/DescriptionsProvider.tsx';
import { anywhereKey, toSearch } from '../../../console/src/data/to-list-query.ts';
import { labelOf, rowDetail, rowName, searchedFields, singularOf } from '../../../console/src/text/presentation.ts';
import { lowerCaseFirst, translate } from '../../../console/src/text/translate.ts';

/** A destination of the search. */
export interface Destination {
  id: string;
  /** The heading of its group. */
  group: string;
  name: string;
  detail?: string | undefined;
  /** A path in the console, or with `leaves` a URL outside of it. */
  to?: string;
  leaves?: boolean;
  /** An action instead of a path. */
  act?: 'invite' | 'theme';
}

/** The pages and actions that do not depend on stored rows. */
export function fixedDestinations(descriptions: Iterable<ResourceDescription>): Destination[] {
  const all = [...descriptions];
  const pages = all
    .filter(({ operations }) => operations.has('list'))
    .map(({ name }) => ({ id: `list/${name}`, group: translate('Go to'), name: labelOf(name), to: `/${name}` }));
  const creations = all
    .filter(({ operations }) => operations.has('create'))
    .map(({ name, singular }) => ({
      ...{ id: `create/${name}`, group: translate('Actions'), to: `/${name}/create` },
      name: translate('New {thing}', { thing: lowerCaseFirst(singularOf({ singular })) }),
    }));
  const users = all.some(({ name }) => name === 'users');
  return [
    { id: 'overview', group: translate('Go to'), name: translate('Overview'), to: '/' },
    ...pages,
    ...(users
      ? [{ id: 'invite', group: translate('Actions'), name: translate('Invite a person'), act: 'invite' } as const]
      : []),
    ...creations,
    { id: 'theme', group: translate('Actions'), name: translate('Switch between light and dark'), act: 'theme' },
    ...settings.map(([path, name]) => ({
      ...{ id: path, group: translate('Settings'), name: translate(name), detail: translate('My account') },
      ...{ to: `${root}${path}`, leaves: true },
    })),
    { id: 'docs', group: translate('Settings'), name: translate('API reference'), to: `${root}/docs`, leaves: true },
  ];
}

const settings: [path: string, name: string][] = [
  ['/settings', 'Profile'],
  ['/settings/password', 'Password'],
  ['/settings/sessions', 'My sessions'],
  ['/settings/tokens', 'My personal access tokens'],
  ['/settings/applications', 'My external applications'],
  ['/settings/connections', 'My connected applications'],
];

/** Whether it contains every typed word. */
export function matches({ name, detail = '', group }: Destination, typed: string): boolean {
  const text = `${name} ${detail} ${group}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export const addressOf = ({ to = '/', leaves }: Destination): string => (leaves ? to : `${home}${to}`);

const pauseMs = 150;
const eachResource = 5;

/** The text at the time when the person last stopped typing. */
function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** People and clients come first, because they are searched most often. */
const rank = ({ name }: ResourceDescription): number => (name === 'users' ? 0 : name === 'clients' ? 1 : 2);

/** Resources that are searched only in their own lists. */
const excludedResources = new Set(['events', 'queued-jobs', 'job-runs', 'consents', 'tokens', 'mcp-calls']);

/** Actions on a row. Typed before the name of a row, they open the page of the row with their dialog. */
const verbs = [
  { phrase: 'sign out', resource: 'users', act: 'sign-out' },
  { phrase: 'disable', resource: 'users', act: 'disable' },
  { phrase: 'rotate secret', resource: 'clients', act: 'new-secret' },
];

/** "sign out ada": the action, and the text that names the row. */
function commandOf(text: string) {
  const verb = verbs.find(({ phrase }) => text.toLowerCase().startsWith(`${translate(phrase)} `));
  return verb && { ...verb, phrase: translate(verb.phrase), rest: text.slice(translate(verb.phrase).length).trim() };
}

/** Rows of all resources that contain the text, or the rows to which a typed action applies. */
export function useSearchResults(typed: string) {
  const text = useDebounced(typed.trim());
  const command = commandOf(text);
  const searched = [...useDescriptions().values()]
    .filter(({ name }) => command === undefined || name === command.resource)
    .filter(
      (resource) =>
        resource.operations.has('list') && !excludedResources.has(resource.name) && searchedFields(resource).length > 0,
    )
    .sort((a, b) => rank(a) - rank(b));
  const results = useQueries({
    queries: searched.map((resource) => ({
      queryKey: ['everywhere', resource.name, text],
      enabled: text.length > 1,
      staleTime: 10_000,
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const rows = await rowsOf(resource, command?.rest ?? text, signal);
        return command ? rows.map((row) => commanded(row, command)) : rows;
      },
    })),
  });
  return {
    rows: results.flatMap(({ data }) => data ?? []),
    busy: typed.trim() !== text || results.some(({ isFetching }) => isFetching),
    /** Resources that could not be searched. */
    failed: searched.filter((_, i) => results[i]?.isError).map(({ name }) => labelOf(name)),
  };
}

const commanded = (row: Destination, { phrase, act }: { phrase: string; act: string }): Destination => ({
  ...row,
  group: translate('Actions'),
  name: translate('{action}: {row}', { action: phrase, row: row.name }),
  to: `${row.to}?act=${act}`,
});

async function rowsOf(resource: ResourceDescription, text: string, signal: AbortSignal): Promise<Destination[]> {
  const search = toSearch({ [anywhereKey(searchedFields(resource))]: text });
  const rows = gatehouse.resource<{ id: string } & Record<string, unknown>>(resource.name);
  const { data } = await rows.list({ search, limit: eachResource, count: 'none' }, { signal });
  return data.map((row) => ({
    id: `${resource.name} ${row.id}`,
    group: labelOf(resource),
    name: rowName(resource, row),
    detail: rowDetail(resource, row),
    to: `/${resource.name}/${row.id}/${resource.operations.has('find') ? 'show' : ''}`,
  }));
}
