import type { UserRow } from './user-store.ts';

/** The realm of users who register in this service. */
export const defaultRealm = 'users';

/** Whether a client with this realm may sign the user in. Without a realm it signs everybody in. */
export const isOfRealm = (user: Pick<UserRow, 'realm'>, realm: string | null | undefined): boolean =>
  realm === null || realm === undefined || user.realm === realm;
