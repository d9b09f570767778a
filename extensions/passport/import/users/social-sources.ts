import type { FoundTable } from '../../source/layout.ts';
import type { Plan } from '../pass.ts';

/** Where accounts at Google and other providers are stored: in the user table, or in a separate table. */
export interface SocialSource {
  readonly table: FoundTable;
  /** The name of the user table here. */
  readonly users: string;
  /** The column that names the user. */
  readonly userKey: string;
  readonly provider: string;
  readonly subject: string;
}

/** Socialite defines no names. These come from its documentation, from Apiato and from common packages. */
export const socialColumns: readonly (readonly [provider: string, subject: string])[] = [
  ['provider', 'provider_id'],
  ['provider_name', 'provider_id'],
  ['provider', 'provider_user_id'],
  ['provider_name', 'provider_user_id'],
  ['social_provider', 'social_id'],
  ['oauth_provider', 'oauth_id'],
];
const socialTables = [
  'social_accounts',
  'linked_social_accounts',
  'social_identities',
  'social_logins',
  'social_providers',
  'user_providers',
  'identities',
];

export function findSocialSources({ layout, defaultUsers, userTables }: Plan): SocialSource[] {
  const ofUsers = new Map([...userTables.values()].map((table) => [table.name, table])).values().toArray();
  const sources: SocialSource[] = [];
  for (const table of ofUsers) {
    const columns = columnsIn(table);
    if (columns) sources.push({ table, users: table.source, userKey: 'id', ...columns });
  }
  for (const name of socialTables) {
    const table = layout.find(name);
    const columns = table && columnsIn(table);
    if (!columns || !table.columns.has('id') || !table.columns.has('user_id')) continue;
    sources.push({ table, users: defaultUsers.source, userKey: 'user_id', ...columns });
  }
  return sources;
}

function columnsIn({ columns }: FoundTable): Pick<SocialSource, 'provider' | 'subject'> | undefined {
  const columnPair = socialColumns.find((pair) => pair.every((column) => columns.has(column)));
  return columnPair && { provider: columnPair[0], subject: columnPair[1] };
}
