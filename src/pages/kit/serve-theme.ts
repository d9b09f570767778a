import { localPath } from '../session/local-path.ts';
import { type PageKit, readForm } from './page-kit.ts';
import { isChosen } from './theme.ts';

/** Light, dark, or as the system has it: kept in a cookie of this browser. */
export function serveTheme(kit: PageKit): void {
  kit.looseForm('/theme', async (request, reply) => {
    const { theme, next } = readForm(request, 'theme', 'next');
    kit.cookies.setTheme(reply, isChosen(theme) ? theme : undefined);
    return kit.go(reply, localPath(next) ?? '/');
  });
}
