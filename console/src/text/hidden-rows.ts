import type { ResourceDescription } from '../data/descriptions.ts';
import { isBuiltin, labelOf } from './presentation.ts';
import { locale, lowerCaseFirst, translate } from './translate.ts';

/**
 * Describes the rows that an access rule hides from a user with these roles, and who may see them. Empty if the user may read every row.
 */
export function hiddenRowsText(description: ResourceDescription, roles: readonly string[]): string {
  const { readers } = description;
  if (!readers || isBuiltin(description)) return '';
  const visibilities = [readers.everyone, ...roles.map((role) => readers.roles[role] ?? 'none')];
  if (visibilities.includes('all')) return '';
  const things = lowerCaseFirst(labelOf(description));
  const seeing = (rows: string) => Object.keys(readers.roles).filter((role) => readers.roles[role] === rows);
  const [all, some] = [seeing('all'), seeing('some')];
  return [
    visibilities.includes('some')
      ? translate('An access rule shows you only some {things}.', { things })
      : translate('An access rule hides all {things} from you.', { things }),
    all.length > 0 ? translate('Users with one of these roles see all of them: {roles}.', { roles: listed(all) }) : '',
    readers.everyone === 'some' ? translate('Every other user sees some of them.') : '',
    readers.everyone === 'none' && some.length > 0
      ? translate('Users with one of these roles see some of them: {roles}.', { roles: listed(some) })
      : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const listed = (names: string[]): string => new Intl.ListFormat(locale, { type: 'unit' }).format(names);
