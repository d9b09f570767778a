import type { StoredClient } from './client-store.ts';

/** RFC 7591 2: an application that names its grants uses no other. */
export const mayUseGrant = ({ grantTypes }: Pick<StoredClient, 'grantTypes'>, type: string): boolean =>
  grantTypes.length === 0 || grantTypes.includes(type);
