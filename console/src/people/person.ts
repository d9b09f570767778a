import { useQuery } from '@tanstack/react-query';
import { gatehouse } from '../data/api.ts';

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

/** What a person is called: by name, or else by an identifier. */
export const nameOf = ({ name, email, username, phone }: Person): string => name ?? email ?? username ?? phone ?? '';

interface Lockout {
  until: string;
}

/** The lockout that failed sign-ins have caused, if there is one. */
export function useLockout(id: string | undefined): Lockout | null | undefined {
  const { data } = useQuery({
    queryKey: ['users', 'lockout', id],
    enabled: id !== undefined,
    queryFn: async () => {
      const path = `/v1/users/${id}/lockouts`;
      const { body } = await gatehouse.call({ method: 'GET', path, repeatable: true });
      return (body as { data: Lockout[] }).data[0] ?? null;
    },
  });
  return data;
}
