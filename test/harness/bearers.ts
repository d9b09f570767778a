import { systemSource as source } from '../../src/http/request-source.ts';
import { addUser } from './accounts.ts';
import { request } from './request.ts';
import type { Service } from './service.ts';
import { openSession } from './sessions.ts';
import { signToken } from './sign-token.ts';

/** Access tokens of this many sessions of one new user, without hashing a password. */
export async function openTokens({ context, sessions }: Service, count: number): Promise<string[]> {
  const { id: userId } = await addUser(context);
  const opened = Array.from({ length: count }, () =>
    openSession({ context, sessions }, { userId, scopes: ['*'], source }),
  );
  return (await Promise.all(opened)).map((session) => signToken(sessions, session));
}

export const isAccepted = async ({ url }: { url: string }, token: string): Promise<boolean> => {
  const { status, body } = await request({ url }, '/v1/users/me', { token });
  if (status !== 200 && status !== 401) throw new Error(`${status} ${JSON.stringify(body)}`);
  return status === 200;
};

/** Logs out, and returns when the logout is acknowledged. */
export async function logOut({ url }: { url: string }, token: string): Promise<void> {
  const { status, body } = await request({ url }, '/v1/logout', { method: 'DELETE', token });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
}
