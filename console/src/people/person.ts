import { useQuery } from '@tanstack/react-query';
import { readData } from '../data/api.ts';
import { locale, translate } from '../text/translate.ts';

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

interface Lockout {
  until: string;
}

/** The lockout after failed sign-ins, if there is one. */
export async function lockoutOf(id: string): Promise<Lockout | null> {
  const [lockout] = await readData<Lockout[]>(`/v1/users/${id}/lockouts`);
  return lockout ?? null;
}

export function useLockout(id = ''): Lockout | null | undefined {
  const { data } = useQuery({ queryKey: ['users', 'lockout', id], enabled: id !== '', queryFn: () => lockoutOf(id) });
  return data;
}

export const lockedText = (until: string): string =>
  translate('Locked until {time}', { time: new Date(until).toLocaleTimeString(locale, { timeStyle: 'short' }) });
