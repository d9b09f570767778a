import { existsSync, readFileSync } from 'node:fs';
import { after, afterEach, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';

/** `npm test` sets this variable after it has found or installed Chromium. Otherwise the usual system paths are used. */
function chromiumPath(): string {
  const places = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  const found = places.find((path) => path && existsSync(path));
  if (!found) throw new Error('No Chromium: run tests with `npm test`, or name one: CHROMIUM_PATH=/path/to/chromium');
  return found;
}

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

let browser: Promise<Browser> | undefined;
/** The Chromium of this process. All its test files share it, each with its own contexts. */
const openBrowser = (): Promise<Browser> => {
  browser ??= chromium.launch({ executablePath: chromiumPath(), args });
  return browser;
};
after(async () => (await browser)?.close());

/** Opens a separate browser context, with its own cookies, on each call. All are closed after the current suite. */
export function browsers(): (options?: BrowserContextOptions) => Promise<BrowserContext> {
  const contexts: BrowserContext[] = [];
  afterEach(async (test) => {
    if ((test as TestContext).passed) return;
    for (const page of contexts.flatMap((context) => context.pages())) console.error(await whatIsSeen(page));
  });
  after(() => Promise.all(contexts.map((context) => context.close())));
  return async (options) => {
    // Without animations: no test checks them, and each frame takes processor time.
    const context = await (await openBrowser()).newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(60_000);
    contexts.push(context);
    return context;
  };
}

/** The text of the page, for the message of a test that timed out. */
async function whatIsSeen(page: Page): Promise<string> {
  const text = await page.evaluate<string>('document.body.innerText').catch((error: Error) => error.message);
  return `The page at ${page.url()} says: ${text.replaceAll(/\s+/g, ' ').slice(0, 600)}`;
}

/** The rules of axe-core that check colours. The other rules have the same result in both colour schemes. */
export const colourRules: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** The violations that axe-core finds on a page, including headings and landmarks: `rule: element`, one per line. */
export async function problemsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  return (await violationsOf(page, rules)).flatMap(toLines);
}

/** Only violations that block users. */
export async function seriousProblems(page: Page): Promise<string[]> {
  const isSerious = ({ impact }: axe.Result) => impact === 'serious' || impact === 'critical';
  return (await violationsOf(page)).filter(isSerious).flatMap(toLines);
}

const toLines = ({ id, nodes }: axe.Result): string[] =>
  nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`);

/** Half as long as the default script of the package. Each page parses it again. */
const axeScript = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

async function violationsOf(page: Page, rules?: readonly string[]): Promise<axe.Result[]> {
  // The page's Content-Security-Policy allows scripts only through the debugger, which this uses.
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(`(() => {${axeScript}})()`);
  // An element that is still fading in has too little contrast.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity)
    .map((each) => each.finished.catch(() => undefined)))`);
  // Without the style sheets: no enabled rule reads them.
  const preload = { assets: ['media'] };
  const options = { resultTypes: ['violations'], preload, ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return page.evaluate<axe.Result[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`);
}

/** The parts of the DOM that `styleOf` uses. The tests are compiled without the types of browsers. */
interface PageElement {
  readonly ownerDocument: { readonly defaultView: { getComputedStyle(element: unknown): Style } };
}
interface Style {
  readonly color: string;
  readonly backgroundColor: string;
  readonly cursor: string;
}

/** The style of an element as the browser shows it. */
export const styleOf = (locator: Locator): Promise<Style> =>
  locator.evaluate((element: PageElement) => {
    const { color, backgroundColor, cursor } = element.ownerDocument.defaultView.getComputedStyle(element);
    return { color, backgroundColor, cursor };
  });
