import { type LocalizedText, message } from '../../src/config/languages/message.ts';
import type { UserView } from '../../src/identity/accounts/user.ts';
import { findUser } from '../../src/identity/accounts/user-store.ts';
import { hasLocalPassword } from '../../src/identity/credentials/require-password-or-proof.ts';
import { currentUser } from '../../src/pages/kit/current-user.ts';
import type { Handler, Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import type { ApiResponse } from '../../src/pages/session/call-api.ts';
import { isAdmin } from '../../src/platform/caller.ts';
import { notFound, Problem } from '../../src/platform/errors.ts';

const sectionIds = [
  ...(['profile', 'password', 'sign-in', 'security', 'sessions'] as const),
  ...(['tokens', 'connections', 'applications', 'account'] as const),
];
const sections = sectionIds.map((id) => ({
  id,
  label: message(`settings.section.${id.replace('-', '_')}`),
  path: id === 'profile' ? '/settings' : `/settings/${id}`,
}));

/** The data of a response. An error of the API is shown as an error page. */
export async function requireOk<T>(response: Promise<ApiResponse<T>>): Promise<T> {
  const { ok, status, data, detail, code, retryAfter } = await response;
  if (ok) return data;
  const headers: Record<string, string> = retryAfter > 0 ? { 'Retry-After': String(retryAfter) } : {};
  throw new Problem(status, 'That did not work', detail, { code, headers });
}

/** The user's newest hundred rows. The search names the user, because an administrator would see the rows of all users. */
export function ownRows<T>(pageRequest: PageRequest, resource: string, type?: string, orderBy = 'created_at') {
  const search = `${type === undefined ? '' : `type:${type};`}user_id:${pageRequest.caller.userId}`;
  const query = new URLSearchParams({ search, orderBy, sortedBy: 'desc', limit: '100', count: 'none' });
  return requireOk(pageRequest.callAsUser<T[]>('GET', `/v1/${resource}?${query}`));
}

/**
 * The user's row with the id in the path, if it exists. Refuses the rows of others, because an administrator could
 * change them by the API.
 */
export async function findOwnRow<T>(pageRequest: PageRequest, resource: string): Promise<T | undefined> {
  const path = `/v1/${resource}/${encodeURIComponent(pageRequest.param('id'))}`;
  const read = { uncounted: true };
  const response = await pageRequest.callAsUser<T & { user_id: string | null }>('GET', path, undefined, read);
  if (response.status === 404) return undefined;
  const row = await requireOk(Promise.resolve(response));
  if (row.user_id !== pageRequest.caller.userId) throw notFound();
  return row;
}

/** Deletes as the signed-in user. A missing row counts as success. */
export async function deleteAsUser(pageRequest: PageRequest, path: string): Promise<void> {
  const response = await pageRequest.callAsUser('DELETE', path);
  if (response.status !== 404) await requireOk(Promise.resolve(response));
}

/** A form that deletes the row with the id in its path, and then shows the page `next`. */
export const removal =
  (resource: string, next: string): Handler =>
  async (pageRequest) => {
    const row = await findOwnRow<{ id: string }>(pageRequest, resource);
    if (row) await deleteAsUser(pageRequest, `/v1/${resource}/${row.id}`);
    return pageRequest.redirect(next);
  };

/** Whether the user has a password that a form can ask for. */
export async function hasOwnPassword({ kit, caller }: PageRequest): Promise<boolean> {
  const user = caller.userId === null ? undefined : await findUser(kit.database.db, caller.userId);
  return user !== undefined && hasLocalPassword(kit, user);
}

/** Shows the form again after the API refused it: with errors at the fields, or above the form. */
export function formErrors({ errors, message: problem }: ApiResponse<unknown>, fields: readonly string[]): Variables {
  const elsewhere = Object.entries(errors).filter(([field]) => !fields.includes(field));
  if (Object.keys(errors).length === 0) return { problem };
  const [first, ...otherProblems] = elsewhere.map(([, text]) => text);
  if (first === undefined) return { errors };
  return { errors, problem: otherProblems.reduce((all, next) => message('common.sentences', { all, next }), first) };
}

/** "AL" for Ada Lovelace, "A" for ada@example.com. */
function initialsOf(label: string): string {
  const words = (label.split('@', 1)[0] ?? '').split(/[\s._-]+/).filter((word) => word !== '');
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  return chosen
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** A settings page with its frame: the user, the other sections, and the result of the last form. */
export async function showSettings(
  pageRequest: PageRequest,
  section: (typeof sectionIds)[number],
  view: string,
  variables: Variables & { title: LocalizedText; user?: UserView },
): Page {
  const visibleSections = sections.filter(({ id }) => id !== 'password' || pageRequest.kit.config.localPasswords);
  const user = variables.user ?? (await currentUser(pageRequest));
  const login = user.email ?? user.username ?? user.phone ?? '';
  const label = user.name || login;
  const person = { ...user, login, label, initials: initialsOf(label), is_admin: isAdmin(pageRequest.caller) };
  return pageRequest.show(view, {
    notice: pageRequest.notice,
    ...variables,
    section,
    sections: visibleSections,
    person,
  });
}
