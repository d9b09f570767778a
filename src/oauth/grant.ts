import type { ClientType } from './clients/client-store.ts';
import { grantScopes } from './clients/scopes/scopes.ts';
import type { GrantRequest, GrantResult } from './grant-request.ts';
import type { OAuth } from './oauth.ts';
import { resourcesIn } from './parameters.ts';

/** A grant type: its name, the clients that may use it, and its function. */
export interface Grant {
  readonly type: string;
  readonly clientTypes: readonly ClientType[];
  /** True if the client must authenticate. */
  readonly confidential?: boolean;
  issue(oauth: OAuth, request: GrantRequest): Promise<GrantResult>;
}

/** The scopes and audiences that the client asks for in this request. */
export const requestedAccess = ({ scopes, audiences }: OAuth, { client, parameters }: GrantRequest) => ({
  scopes: grantScopes(scopes, parameters.get('scope') ?? '', client.scopes),
  resource: audiences.read(resourcesIn(parameters)),
});
