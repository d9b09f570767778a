import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Brand } from '../../config/brand.ts';
import { codeOf } from '../../platform/errors.ts';
import { escapeHtml } from '../reference/html.ts';

/** The console as built by Vite: one page and its files. */
export interface ConsoleFiles {
  /** The page of one response: its styles have the nonce of the response, its addresses the root path of the service. */
  page(nonce: string, root: string, brand: ConsoleBrand, reader: ConsoleReader): string;
  readonly assets: ReadonlyMap<string, Asset>;
}

/** The reader of the page. */
export interface ConsoleReader {
  readonly language: string;
  /** The address of the messages in this language. Empty: the English texts in the code. */
  readonly messages: string;
  /** The text before the messages are loaded. */
  readonly words: { readonly title: string; readonly opening: string; readonly noscript: string };
  /** The theme that was chosen on the pages. */
  readonly theme: 'light' | 'dark' | undefined;
}

/** The operator's brand, for the console. */
interface ConsoleBrand {
  readonly name: string;
  readonly logo: string;
  readonly colours: Brand['colours'];
}

interface Asset {
  readonly type: string;
  content(): Buffer;
  /** The compressed file from the build. Cached after the first request. */
  brotli(): Promise<Buffer>;
}

const types = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
]);

const dist = join(import.meta.dirname, '../../../console/dist');

/** The reason why the console could not be built. Undefined if no build has failed. */
export function readBuildError(): string | undefined {
  return readIfThere('build-error.log');
}

/** Reads the built console. Undefined if it is not built. */
export function readConsole(): ConsoleFiles | undefined {
  const html = readIfThere('index.html');
  if (html === undefined) return undefined;
  const folder = join(dist, 'assets');
  return {
    page: (nonce, root, brand, { language, messages, words, theme }) =>
      html
        .replaceAll('__NONCE__', nonce)
        .replaceAll('./assets/', `${root}/admin/assets/`)
        .replaceAll('__ROOT__', root)
        .replaceAll('__LANGUAGE__', language)
        .replaceAll('__MESSAGES__', messages)
        .replaceAll('__TITLE__', () => escapeHtml(words.title))
        .replaceAll('__OPENING__', () => escapeHtml(words.opening))
        .replaceAll('__NOSCRIPT__', () => escapeHtml(words.noscript))
        .replace(' data-theme="__THEME__"', theme ? ` data-theme="${theme}"` : '')
        .replace('content="light dark"', `content="${theme ?? 'light dark'}"`)
        .replace(/<link rel="icon"[^>]*>/, () => `<link rel="icon" href="${escapeHtml(brand.logo)}" />`)
        .replaceAll('__BRAND__', () => escapeHtml(JSON.stringify(brand))),
    assets: new Map(
      readdirSync(folder)
        .filter((name) => !name.endsWith('.br'))
        .map((name) => [name, assetOf(join(folder, name))]),
    ),
  };
}

function readIfThere(name: string): string | undefined {
  try {
    return readFileSync(join(dist, name), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Read on demand: most instances never serve the console. */
function assetOf(path: string): Asset {
  let read: Buffer | undefined;
  let compressed: Promise<Buffer> | undefined;
  const content = () => {
    read ??= readFileSync(path);
    return read;
  };
  return {
    type: types.get(extname(path)) ?? 'application/octet-stream',
    content,
    brotli() {
      compressed ??= readFile(`${path}.br`);
      return compressed;
    },
  };
}
