import type { Context } from '../../src/database/context.ts';
import type { SignInProviders } from '../../src/identity/providers/sign-in-providers.ts';
import { parseJson } from '../../src/platform/json-text.ts';
import type { Providers } from './client/providers.ts';
import { findPending } from './sign-in/attempt-store.ts';
import { findProviderNames } from './sign-in/identity-store.ts';

export const createSignInProviders = ({ database, now }: Context, providers: Providers): SignInProviders => ({
  buttons: () => providers.buttons(),
  async buttonsOf(userId) {
    const names = await findProviderNames(database.db, userId);
    return (await providers.buttons()).filter(({ name }) => names.has(name));
  },
  async findLinking(path, visitor) {
    const [, name = '', handle = ''] = /^\/login\/with\/([a-z0-9-]+)\/link\/([\w-]+)$/.exec(path ?? '') ?? [];
    const provider = handle === '' ? undefined : await providers.find(name);
    if (!provider || !visitor) return undefined;
    const pending = await findPending(database.db, { handle, visitor, provider: name, now: now() });
    return pending && { provider: provider.button.label, email: parseJson(pending.upstream).email };
  },
  async findLogout(name, backTo) {
    const provider = await providers.find(name);
    const url = await provider?.logoutUrl(backTo).catch(() => undefined);
    return provider && url && { label: provider.button.label, url };
  },
});
