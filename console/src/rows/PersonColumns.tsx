import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { useListContext } from 'react-admin';
import { gatehouse, readData } from '../data/api.ts';
import { useDescriptions } from '../data/DescriptionsProvider.tsx';
import { locale, translate } from '../text/translate.ts';
import { timeAgo } from '../text/value-text.ts';

/** Initials and name. */
export function PersonName({ person }: { person: Person }) {
  const name = nameOf(person);
  const words = name.replace(/@.*/s, '').match(/[^\s._-]+/g) ?? [];
  const initials = [...words.slice(0, 1), ...words.slice(1).slice(-1)].map((word) => word.at(0)).join('');
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

/** A user as the API shows it. */
export interface Person {
  [field: string]: unknown;
  id: string;
  name: string | null;
  email: string | null;
  username: string | null;
  phone: string | null;
  roles: string[];
  disabled: boolean;
  email_confirmed: boolean;
  created_at: string;
}

/** The name of a person, or another identifier. */
export const nameOf = ({ name, email, username, phone }: Person): string => name ?? email ?? username ?? phone ?? '';

/** The end of the lockout after failed sign-ins. Null: the person is not locked out. */
async function lockoutOf(id: string): Promise<string | null> {
  const [lockout] = await readData<{ until: string }[]>(`/v1/users/${id}/lockouts`);
  return lockout?.until ?? null;
}

export function useLockout(id = ''): string | null | undefined {
  const { data } = useQuery({ queryKey: ['users', 'lockout', id], enabled: id !== '', queryFn: () => lockoutOf(id) });
  return data;
}

export const lockedText = (until: string): string =>
  translate('Locked until {time}', { time: new Date(until).toLocaleTimeString(locale, { timeStyle: 'short' }) });
