/**
 * Where the form of a page may lead in the end, for `form-action`. Chromium applies it to every redirect that follows, those
 * of the application's own pages included, wherever they lead. So it names the scheme: an origin would stop an application
 * that goes on to another host of its own, and the address of `[::1]` cannot be written there at all.
 */
export const formTargets = (redirectUri: string): string => `${redirectUri.slice(0, redirectUri.indexOf(':'))}:`;
