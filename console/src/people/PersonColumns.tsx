import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { useListContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescriptions } from '../data/described.tsx';
import { ago } from '../text/ago.ts';
import { say } from '../text/say.ts';
import { nameOf, type Person } from './person.ts';

/** Initials and name. */
export function PersonName({ person }: { person: Person }) {
  const name = nameOf(person);
  const words =
    name
      .split('@', 1)[0]
      ?.split(/[\s._-]+/)
      .filter(Boolean) ?? [];
  const initials = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.at(0) ?? '').join('');
  return (
    <>
      <span className="avatar" aria-hidden="true">
        {initials.toUpperCase()}
      </span>
      {name}
    </>
  );
}

/** Whether the person can sign in, in one word. */
export function Status({ person: { disabled, email, email_confirmed } }: { person: Person }) {
  if (disabled) return <span className="status off">{say('Disabled')}</span>;
  if (email !== null && !email_confirmed) return <span className="status open">{say('Unconfirmed')}</span>;
  return <span className="status">{say('Active')}</span>;
}

const SignIns = createContext<ReadonlyMap<string, string>>(new Map());

export function LastSignIn({ id }: { id: string }) {
  const at = useContext(SignIns).get(id);
  return at === undefined ? '–' : ago(at);
}

/** Reads from the audit trail when the people of a list last signed in. */
export function LastSignIns({ children }: { children: ReactNode }) {
  const { data: people = [] } = useListContext<Person>();
  const ids = people.map(({ id }) => id);
  const mayRead = useDescriptions().has('events');
  const { data = new Map() } = useQuery({
    queryKey: ['events', 'last-sign-ins', ids],
    enabled: mayRead && ids.length > 0,
    queryFn: () => lastSignInsOf(ids),
  });
  return <SignIns.Provider value={data}>{children}</SignIns.Provider>;
}

/** A busy person can fill a page of events. The others are then asked for again, a few times. */
async function lastSignInsOf(ids: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const events = gatehouse.resource<{ user_id: string; created_at: string }>('events');
  for (let round = 0; round < 4; round++) {
    const search = { type: 'login.succeeded', user_id: ids.filter((id) => !found.has(id)) };
    if (search.user_id.length === 0) break;
    const { data } = await events.list({ search, orderBy: 'created_at', sortedBy: 'desc', limit: 100, count: 'none' });
    for (const { user_id, created_at } of data) if (!found.has(user_id)) found.set(user_id, created_at);
    if (data.length < 100) break;
  }
  return found;
}
