import { localPath } from '../session/local-path.ts';
import { isTheme } from './theme.ts';
import type { PageKit } from './visit.ts';

/** Light, dark, or the theme of the system. Stored in a cookie of this browser. */
export function serveTheme(kit: PageKit): void {
  kit.formWithoutCsrf('/theme', async (visit) => {
    const { theme, next } = visit.form('theme', 'next');
    kit.cookies.setTheme(visit.reply, isTheme(theme) ? theme : undefined);
    return visit.redirect(localPath(next) ?? '/');
  });
}
