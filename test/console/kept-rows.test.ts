import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

describe('The console and soft-deleted rows', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];

  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(import.meta.dirname, 'kept') } });
    const { email } = await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    const token = await logIn(service, email, password);
    for (const json of [
      { title: 'Moanin', genre: 'jazz', price: '9.90' },
      { title: 'Maiden Voyage', genre: 'jazz', price: '1200.20' },
    ]) {
      await request(service, '/v1/albums', { json, token });
    }
    ({ page, complaints } = await openConsole(await browser(), service, email, password));
  });

  test('shows exact decimals, restores deleted rows and shows figures', { timeout: 900_000 }, async (visit) => {
    await visit.test('accepts and shows exact decimals', async () => {
      await page.getByRole('menuitem', { name: 'Albums' }).click();
      await page.getByRole('cell', { name: '1,200.20' }).waitFor();
      await page.getByRole('link', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'New album' }).waitFor();
      await page.getByRole('textbox', { name: 'Title' }).fill('Loud');
      await page.getByRole('textbox', { name: 'Price' }).fill('1.234');
      await page.getByRole('button', { name: 'Create' }).click();
      const refusal = page.getByText('Use a number with at most 6 digits before and 2 after the point.');
      await refusal.waitFor();
      await page.getByRole('textbox', { name: 'Price' }).fill('5.5');
      // The button moves up when the notification disappears.
      await refusal.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Album Loud' }).waitFor();
      await page.getByText('5.50').waitFor();
    });

    await visit.test('deletes a row and can undo it', async () => {
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('You can restore it later.').waitFor();
      await dialog.getByRole('button', { name: 'Delete album' }).click();
      await page.getByText('Album deleted').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The change is undone.').waitFor();
      await page.getByRole('cell', { name: 'Loud', exact: true }).waitFor();
    });

    await visit.test('shows deleted rows with a filter, and restores them', async () => {
      await page.getByRole('cell', { name: 'Loud', exact: true }).getByRole('link').click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete album' }).click();
      await page.getByRole('link', { name: 'Moanin' }).waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Deleted rows' }).click();
      await page.getByRole('link', { name: 'Moanin' }).waitFor({ state: 'detached' });
      assert.deepEqual(await seriousProblems(page), []);
      await page.getByRole('cell', { name: 'Loud', exact: true }).getByRole('link').click();
      await page.getByRole('heading', { name: 'Album Loud' }).waitFor();
      // The page shows the old row until the response arrives.
      await page.getByRole('button', { name: 'Restore' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('link', { name: 'Edit' }).waitFor();
    });

    await visit.test('shows figures about the rows of a list', async () => {
      await page.getByRole('menuitem', { name: 'Albums' }).click();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('link', { name: 'Moanin' }).waitFor();
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Show figures' }).click();
      const figures = page.getByRole('region', { name: 'Figures' });
      await figures.getByText('1,215.60').waitFor();
      await figures.getByText('405.20 on average').waitFor();
      await figures.getByText('jazz').waitFor();
      await page.getByRole('textbox', { name: 'Search title' }).fill('moan');
      await figures.getByText('9.90', { exact: true }).waitFor();
      assert.deepEqual(await seriousProblems(page), []);
    });

    await visit.test('causes no errors in the browser', () => assert.deepEqual(complaints, []));
  });
});
