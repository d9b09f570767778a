import { localPath } from '../session/local-path.ts';
import { isChosen } from './theme.ts';
import type { PageKit } from './visit.ts';

/** Light, dark, or the theme of the system. Stored in a cookie of this browser. */
export function serveTheme(kit: PageKit): void {
  kit.looseForm('/theme', async (visit) => {
    const { theme, next } = visit.form('theme', 'next');
    kit.cookies.setTheme(visit.reply, isChosen(theme) ? theme : undefined);
    return visit.go(localPath(next) ?? '/');
  });
}
