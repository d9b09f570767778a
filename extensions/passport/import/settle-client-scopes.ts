import { identityScopes } from '../../../src/oauth/clients/scopes/scopes.ts';
import { findScopesOfClients, setClientScopes } from './client-target-store.ts';
import { batchSize, type Pass } from './pass.ts';
import type { TakenClient } from './take-clients.ts';
import { inBatch } from './users/user-target-store.ts';

/**
 * There every client may ask for every scope. Here it may ask for what it was given: by --client-scopes, and by the tokens
 * that it has. Who has neither would get tokens that may do nothing, so the operator is asked.
 */
export async function settleClientScopes(pass: Pass, clients: ReadonlyMap<string, TakenClient>): Promise<void> {
  const { plan, findings, context } = pass;
  const asking = [...clients.values()].filter(
    ({ type, issuesPersonalTokens, canAuthenticate }) =>
      type !== 'password' && !issuesPersonalTokens && canAuthenticate,
  );
  for (let i = 0; i < asking.length; i += batchSize) {
    const ids = asking.slice(i, i + batchSize).map(({ id }) => id);
    for (const { id, scopes } of await findScopesOfClients(context.database.db, ids)) {
      const said = plan.clientScopes.get(id) ?? plan.clientScopes.get('*');
      const wanted = [...new Set([...scopes, ...(said ?? [])])].sort();
      if (wanted.length > scopes.length) {
        await inBatch(context.database, async (tx, invalidate) => {
          await setClientScopes(tx, id, wanted, pass.at);
          invalidate({ kind: 'client', id });
        });
      }
      if (said === undefined && scopes.every((scope) => identityScopes.includes(scope))) {
        findings.decide(
          'client-scopes',
          'Clients that have no live token with scopes, so that they may ask for none here. Say what they may ask for by --client-scopes ID=SCOPE,SCOPE (ID * for all of these, none for no scope)',
          id,
        );
      }
    }
  }
}
