import { existsSync } from 'node:fs';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

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

const launchOptions = (): LaunchOptions => ({ executablePath: chromiumPath(), args });

/** Starts the one Chromium that all tests share, each with its own contexts. Returns a function that stops it. */
export async function startSharedBrowser(): Promise<() => Promise<void>> {
  const server = await chromium.launchServer(launchOptions());
  process.env.TEST_BROWSER_URL = server.wsEndpoint();
  return () => server.close();
}

/** The shared Chromium, or a separate one for a test file that runs alone. Closing it closes the contexts of this caller. */
export function openBrowser(): Promise<Browser> {
  const shared = process.env.TEST_BROWSER_URL;
  return shared ? chromium.connect(shared) : chromium.launch(launchOptions());
}
