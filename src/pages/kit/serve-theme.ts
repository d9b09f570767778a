import { localPath } from '../session/local-path.ts';
import type { PageKit } from './page-request.ts';
import { isTheme } from './theme.ts';

/** Light, dark, or the theme of the system. Stored in a cookie of this browser. */
export function serveTheme(kit: PageKit): void {
  kit.formWithoutCsrf('/theme', async (pageRequest) => {
    const { theme, next } = pageRequest.form('theme', 'next');
    kit.cookies.setTheme(pageRequest.reply, isTheme(theme) ? theme : undefined);
    return pageRequest.redirect(localPath(next) ?? '/');
  });
}
