import { home, root } from '../data/api.ts';
import type { ResourceDescription } from '../data/descriptions.ts';
import { labelOf, singularOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { lowerCaseFirst } from '../text/words.ts';

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
      ...{
        id: path,
        group: translate('Settings'),
        name: translate(name),
        detail: translate('My account'),
        to: `${root}${path}`,
        leaves: true,
      },
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
