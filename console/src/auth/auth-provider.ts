import type { AuthProvider } from 'react-admin';
import { GatehouseError, SignedOutError } from '../../../client/errors.ts';
import type { Gatehouse } from '../../../client/gatehouse.ts';
import type { Operation, ResourceDescription } from '../data/descriptions.ts';
import type { Person } from '../rows/PersonColumns.tsx';
import { translate } from '../text/translate.ts';
import type { SignInPrompt } from './prompts.ts';

export type Me = Pick<Person, 'id' | 'email' | 'username' | 'phone' | 'name' | 'roles'>;

/** The actions of react-admin that have another name than the operation that they need. */
const needed = new Map<string, Operation>([
  ['export', 'list'],
  ['show', 'find'],
  ['clone', 'create'],
  ['edit', 'update'],
]);

export async function whoAmI(gatehouse: Gatehouse): Promise<Me> {
  const { body } = await gatehouse.call<{ data: Me }>({ method: 'GET', path: '/v1/users/me', repeatable: true });
  return body.data;
}

/** The console does not sign people in: the login page does. */
export function createAuthProvider(
  gatehouse: Gatehouse,
  signInPrompt: SignInPrompt,
  descriptions: readonly ResourceDescription[],
  me: Me,
): AuthProvider {
  const operations = new Map<string, ReadonlySet<string>>(
    descriptions.map((description) => [description.name, description.operations]),
  );
  return {
    login: async () => {
      throw new Error(translate('Sign in on the login page.'));
    },
    async logout() {
      await signInPrompt.logOut(gatehouse);
    },
    async checkAuth() {
      if (!(await gatehouse.resume())) throw new Error(translate('Your session is over.'));
    },
    /** A rejection signs the person out. So it rejects only when the session has ended, not when a request is forbidden or fails. */
    async checkError(error: unknown) {
      if (error instanceof SignedOutError || (error instanceof GatehouseError && error.status === 401)) throw error;
    },
    async getIdentity() {
      const { id, name, email, username, phone } = me;
      return { id, fullName: name || email || username || phone || id };
    },
    async getPermissions() {
      return me.roles;
    },
    async canAccess({ action, resource }) {
      return operations.get(resource)?.has(needed.get(action) ?? action) !== false;
    },
  };
}
