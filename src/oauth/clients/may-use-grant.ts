import type { StoredClient } from './client-store.ts';

type Client = Pick<StoredClient, 'type' | 'grantTypes' | 'public'>;

/**
 * RFC 7591 2: an application that names its grants uses no other. The grants that a first-party client names are beside
 * those of its type: that is how one of an imported service keeps client_credentials.
 */
export const mayUseGrant = ({ type, grantTypes }: Pick<Client, 'type' | 'grantTypes'>, grant: string): boolean =>
  type === 'password' || grantTypes.length === 0 || grantTypes.includes(grant);

/** Whether a client of this kind uses the grant at all. */
export const isOfKind = (
  client: Client,
  grant: { readonly type: string; readonly clientTypes: readonly Client['type'][]; readonly confidential?: boolean },
): boolean =>
  (grant.clientTypes.includes(client.type) || (client.type === 'password' && client.grantTypes.includes(grant.type))) &&
  !(grant.confidential && client.public);
