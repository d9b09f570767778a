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

/** The end of the lockout after failed sign-ins. Null: the person is not locked out. */
export async function lockoutOf(id: string): Promise<string | null> {
  const [lockout] = await readData<{ until: string }[]>(`/v1/users/${id}/lockouts`);
  return lockout?.until ?? null;
}

export function useLockout(id = ''): string | null | undefined {
  const { data } = useQuery({ queryKey: ['users', 'lockout', id], enabled: id !== '', queryFn: () => lockoutOf(id) });
  return data;
}

export const lockedText = (until: string): string =>
  translate('Locked until {time}', { time: new Date(until).toLocaleTimeString(locale, { timeStyle: 'short' }) });
