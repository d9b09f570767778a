import { useGetManyAggregate } from 'react-admin';
import { useDescriptions } from '../data/described.tsx';
import { rowName } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import type { RowChange } from './useChanges.ts';

/** The name of the person or the client that made a change. */
export function useActorName(actor: RowChange['actor']): string {
  const resource = actor?.user_id ? 'users' : 'clients';
  const description = useDescriptions().get(resource);
  const id = actor?.user_id ?? actor?.client_id;
  const isKnown = description !== undefined && typeof id === 'string';
  const { data } = useGetManyAggregate(resource, { ids: isKnown ? [id] : [] }, { enabled: isKnown });
  const row = data?.[0];
  return description && row ? rowName(description, row) : say('Somebody');
}
