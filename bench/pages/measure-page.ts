import type { BrowserContext } from 'playwright-core';

/** The connection and the processor of a phone, as Lighthouse emulates them. */
const slowLine = { latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const slowProcessor = 4;
/** A poor connection, and the processor of this machine. */
export const slowestLine = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

export interface PageToMeasure {
  readonly name: string;
  readonly path: string;
  /** A selector of an element that appears when the page can be used. */
  readonly usable: string;
  readonly line?: typeof slowestLine;
}

export interface PageFigures {
  /** Milliseconds from the request to the first text or picture. */
  readonly firstPaint: number;
  /** Milliseconds until the page can be used. */
  readonly usable: number;
  /** Transferred bytes, including headers. */
  readonly kilobytes: number;
  readonly requests: number;
}

/** One visit with an empty cache over the slow connection. */
export async function measurePage(
  context: BrowserContext,
  url: string,
  { path, usable, line }: PageToMeasure,
): Promise<PageFigures> {
  const page = await context.newPage();
  const browser = await context.newCDPSession(page);
  let bytes = 0;
  let requests = 0;
  browser.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests++;
  });
  await browser.send('Network.enable');
  await browser.send('Network.clearBrowserCache');
  await browser.send('Network.emulateNetworkConditions', { offline: false, ...(line ?? slowLine) });
  await browser.send('Emulation.setCPUThrottlingRate', { rate: line ? 1 : slowProcessor });
  await page.goto(url + path, { waitUntil: 'commit' });
  await page.waitForSelector(usable, { timeout: 60_000 });
  const now = await page.evaluate(() => performance.now());
  // An element can be there before the browser has painted.
  const paint = await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
  const firstPaint = (await paint.jsonValue()) as number;
  await page.close();
  return { firstPaint, usable: now, kilobytes: bytes / 1000, requests };
}
