import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { browsers, problemsOf } from '../harness/browser.ts';
import { services } from '../harness/service.ts';
import { openFleet } from './fleet.ts';
import { createScreenData, type ScreenData, screens } from './screens.ts';

/**
 * On a phone and in dark mode, only a sample of each kind of screen is tested. `npm run test:sweep` tests every screen.
 */
const kinds = ['overview', 'list', 'row', 'edit', 'person', 'palette', 'bulk change', 'not found'];
const isSample = (name: string) => Boolean(process.env.TEST_SWEEP) || kinds.includes(name);

describe('Every screen of the console', () => {
  const browser = browsers();
  const start = services('sqlite');
  let page: Page;
  let data: ScreenData;

  before(async () => {
    const opened = await openFleet(start, browser);
    page = opened.page;
    data = await createScreenData(opened.service, opened.token);
  });

  test('is accessible in light and dark mode, on a desktop and on a phone', { timeout: 600_000 }, async (walk) => {
    for (const screen of screens) {
      await walk.test(screen.name, async () => {
        await page.setViewportSize({ width: 1440, height: 900 });
        await screen.open(page, data);
        await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
        assert.deepEqual(await problemsOf(page), [], 'on a desktop, in light mode');
        const isDialog = (await page.getByRole('dialog').count()) > 0;
        if (isSample(screen.name)) {
          await page.setViewportSize({ width: 390, height: 844 });
          await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
          assert.deepEqual(await problemsOf(page), [], 'on a phone, in dark mode');
          await page.setViewportSize({ width: 1440, height: 900 });
          await page.evaluate('new Promise(requestAnimationFrame)');
          // Another width can mount the dialog again, and a key reaches it only when it has the focus.
          if (isDialog) await page.locator('[role="dialog"]:not([aria-label="Menu"]):focus-within').waitFor();
        }
        assert.equal(await page.getByText('None.', { exact: true }).count(), 0, 'the empty list names its rows');
        // Escape closes everything that can be closed.
        await (screen.leave ? screen.leave(page) : page.keyboard.press('Escape'));
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      });
    }
  });
});
