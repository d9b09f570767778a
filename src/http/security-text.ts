import type { Config } from '../config/config.ts';
import type { App } from './app.ts';

const dayMs = 86_400_000;

/** RFC 9116: the contact for security reports. Served if SECURITY_CONTACT is set. */
export function serveSecurityText(app: App, { securityContact, baseUrl }: Config, now: () => number): void {
  if (securityContact.length === 0) return;
  const path = '/.well-known/security.txt';
  const schema = { hide: true };
  app.get(path, { config: { auth: 'public', cors: 'any' }, schema }, async (_request, reply) => {
    const lines = [
      ...securityContact.map((contact) => `Contact: ${contact}`),
      `Expires: ${new Date(now() + 180 * dayMs).toISOString()}`,
      `Canonical: ${baseUrl}${path}`,
    ];
    return reply.type('text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}
