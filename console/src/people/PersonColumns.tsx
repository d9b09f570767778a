import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { useListContext } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { timeAgo } from '../text/time-ago.ts';
import { translate } from '../text/translate.ts';
import { lockedText, lockoutOf, nameOf, type Person } from './person.ts';

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
export function Status({ person: { id, disabled, email, email_confirmed } }: { person: Person }) {
  const lockedUntil = useContext(SignIns).locked.get(id);
  if (disabled) return <span className="status off">{translate('Disabled')}</span>;
  if (lockedUntil) return <span className="status off">{lockedText(lockedUntil)}</span>;
  if (email !== null && !email_confirmed) return <span className="status open">{translate('Unconfirmed')}</span>;
  return <span className="status">{translate('Active')}</span>;
}

interface Known {
  /** By person: the time of the last sign-in, and the end of a lockout. */
  last: ReadonlyMap<string, string>;
  locked: ReadonlyMap<string, string>;
}
const nothing: Known = { last: new Map(), locked: new Map() };
const SignIns = createContext(nothing);

export function LastSignIn({ id }: { id: string }) {
  const at = useContext(SignIns).last.get(id);
  return at === undefined ? '–' : timeAgo(at);
}

/** Reads from the audit trail when the people of a list last signed in, and who is locked out. */
export function LastSignIns({ children }: { children: ReactNode }) {
  const { data: people = [] } = useListContext<Person>();
  const ids = people.map(({ id }) => id);
  const mayRead = useDescriptions().has('events');
  const { data = nothing } = useQuery({
    queryKey: ['events', 'last-sign-ins', ids],
    enabled: mayRead && ids.length > 0,
    queryFn: async () => ({ last: await lastSignInsOf(ids), locked: await lockoutsOf(ids) }),
  });
  return <SignIns.Provider value={data}>{children}</SignIns.Provider>;
}

async function lastSignInsOf(ids: string[]): Promise<Map<string, string>> {
  const search = { type: 'login.succeeded', user_id: ids };
  const query = { search, aggregate: ['max:created_at'], groupBy: ['user_id'], limit: 100 };
  const { data } = await gatehouse
    .resource('events')
    .aggregate<{ user_id: string; max: { created_at: string } }>(query);
  return new Map(data.map(({ user_id, max }) => [user_id, max.created_at]));
}

/** The audit trail shows who was rejected since yesterday. Only their lockouts are requested. */
async function lockoutsOf(ids: readonly string[]): Promise<Map<string, string>> {
  const events = gatehouse.resource<{ user_id: string }>('events');
  const search = {
    type: 'login.throttled',
    user_id: [...ids],
    created_at: { '>=': new Date(Date.now() - 86_400_000) },
  };
  const { data } = await events.list({ search, limit: 100, count: 'none' });
  const userIds = [...new Set(data.map(({ user_id }) => user_id))];
  const lockouts = await Promise.all(userIds.map(async (id) => [id, await lockoutOf(id)] as const));
  return new Map(lockouts.filter((entry): entry is [string, string] => entry[1] !== null));
}
