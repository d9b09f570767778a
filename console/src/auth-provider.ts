import type { AuthProvider } from 'react-admin';
import { GatehouseError, SignedOutError } from '../../client/errors.ts';
import type { Gatehouse } from '../../client/gatehouse.ts';
import type { Operation, ResourceDescription } from './descriptions.ts';
import { say } from './say.ts';

interface Me {
  id: string;
  email: string | null;
  username: string | null;
  phone: string | null;
  name: string | null;
  roles: string[];
}

/** Which of a resource's operations each of react-admin's actions needs. */
const needed = new Map<string, Operation>([
  ['list', 'list'],
  ['export', 'list'],
  ['show', 'find'],
  ['create', 'create'],
  ['clone', 'create'],
  ['edit', 'update'],
  ['delete', 'delete'],
]);

/** Logging in is the service's login page's business; the console only asks whether somebody is, and who. */
export function createAuthProvider(gatehouse: Gatehouse, descriptions: readonly ResourceDescription[]): AuthProvider {
  const operations = new Map(descriptions.map((description) => [description.name, description.operations]));
  let me: Promise<Me> | undefined;

  async function askWhoIAm(): Promise<Me> {
    const { body } = await gatehouse.call({ method: 'GET', path: '/v1/users/me', repeatable: true });
    return (body as { data: Me }).data;
  }
  function whoAmI(): Promise<Me> {
    me ??= askWhoIAm().catch((error) => {
      me = undefined;
      throw error;
    });
    return me;
  }

  return {
    login: async () => {
      throw new Error(say('Sign in on the login page.'));
    },
    async logout() {
      me = undefined;
      await gatehouse.logout();
    },
    async checkAuth() {
      if (!(await gatehouse.resume())) throw new Error(say('Your session is over.'));
    },
    /** Rejecting means logging out: only where the login itself is over, not where something is forbidden or failed. */
    async checkError(error: unknown) {
      if (error instanceof SignedOutError || (error instanceof GatehouseError && error.status === 401)) throw error;
    },
    async getIdentity() {
      const { id, name, email, username, phone } = await whoAmI();
      return { id, fullName: name || email || username || phone || id };
    },
    async getPermissions() {
      return (await whoAmI()).roles;
    },
    async canAccess({ action, resource }) {
      const operation = needed.get(action);
      return operation === undefined || operations.get(resource)?.has(operation) !== false;
    },
  };
}
