import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Brand } from '../../config/brand.ts';
import { escapeHtml } from '../../config/languages/format-html.ts';
import { readIfExists } from '../../platform/files.ts';

/** The console as built by Vite: one page and its files. */
export interface ConsoleFiles {
  /** The page of one response: its styles have the nonce of the response, its addresses the root path of the service. */
  page(nonce: string, root: string, brand: ConsoleBrand, reader: ConsoleReader): string;
  /** The names of its files in `consoleAssets`. */
  readonly assets: ReadonlySet<string>;
}

/** The reader of the page. */
export interface ConsoleReader {
  readonly language: string;
  /** The address of the messages in this language. Empty: the English texts in the code. */
  readonly messages: string;
  /** The text before the messages are loaded. */
  readonly texts: { readonly title: string; readonly opening: string; readonly noscript: string };
  /** The theme that was chosen on the pages. */
  readonly theme: 'light' | 'dark' | undefined;
}

/** The operator's brand, for the console. */
interface ConsoleBrand {
  readonly name: string;
  readonly logo: string;
  readonly colours: Brand['colours'];
}

const dist = join(import.meta.dirname, '../../../console/dist');
/** The files of the console. Beside each file is its compressed form, with the ending `.br`. */
export const consoleAssets = join(dist, 'assets');

/** The reason why the console could not be built. Undefined if no build has failed. */
export const readBuildError = (): string | undefined => readIfExists(join(dist, 'build-error.log'));

/** Reads the built console. Undefined if it is not built. */
export function readConsole(): ConsoleFiles | undefined {
  const html = readIfExists(join(dist, 'index.html'));
  if (html === undefined) return undefined;
  return {
    page: (nonce, root, brand, { language, messages, texts, theme }) =>
      html
        .replaceAll('__NONCE__', nonce)
        .replaceAll('./assets/', `${root}/admin/assets/`)
        .replaceAll('__ROOT__', root)
        .replaceAll('__LANGUAGE__', language)
        .replaceAll('__MESSAGES__', messages)
        .replaceAll('__TITLE__', () => escapeHtml(texts.title))
        .replaceAll('__OPENING__', () => escapeHtml(texts.opening))
        .replaceAll('__NOSCRIPT__', () => escapeHtml(texts.noscript))
        .replace(' data-theme="__THEME__"', theme ? ` data-theme="${theme}"` : '')
        .replace('content="light dark"', `content="${theme ?? 'light dark'}"`)
        .replace(/<link rel="icon"[^>]*>/, () => `<link rel="icon" href="${escapeHtml(brand.logo)}" />`)
        .replaceAll('__BRAND__', () => escapeHtml(JSON.stringify(brand))),
    assets: new Set(readdirSync(consoleAssets).filter((name) => !name.endsWith('.br'))),
  };
}
