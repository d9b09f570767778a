import { type Changes, changesBetween } from '../../resources/write/changes.ts';
import type { Profile } from './user-fields.ts';

type Traced = Profile & { readonly roles?: readonly string[] };

const traced = ({ email, username, phone, name, roles = [] }: Traced) => ({ email, username, phone, name, roles });

/** The data of a new user in the audit trail. */
export const newUser = (user: Traced): Changes => changesBetween(undefined, traced(user));

export const profileChanges = (before: Profile, after: Profile): Changes =>
  changesBetween(traced({ ...before, roles: [] }), traced({ ...after, roles: [] }));
