import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seed } from '../../examples/fleet/seed.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

const fleet = join(import.meta.dirname, '../../examples/fleet');

describe('The console and lists with many rows', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  let token: string;
  let owner: string;
  const selection = () => page.getByRole('region', { name: 'Selection' });
  const found = (text: string) => page.getByText(text, { exact: true }).waitFor();
  const menu = async (item: string) => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(fleet, 'resources') } });
    await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    token = await logIn(service, 'ada@example.com', password);
    await seed(service.url, token);
    const { body } = await request<{ data: { id: string }[] }>(service, '/v1/owners', { token });
    owner = body.data[0]?.id as string;
    ({ page, complaints } = await openConsole(await browser(), service, 'ada@example.com', password));
  });

  test('imports, changes, exports and deletes rows', { timeout: 600_000 }, async (visit) => {
    await visit.test('previews a file, allows corrections of invalid cells, imports it, and can undo it', async () => {
      await page.getByRole('menuitem', { name: 'Cars' }).click();
      await menu('Import');
      const rows = Array.from({ length: 60 }, (_, n) => `IN ${n},Imported,${(n % 9) + 1},${owner},red`);
      const lines = [
        'plate,model,seats,owner_id,colour',
        ...rows,
        `in lower,X,99,${owner},`,
        `AB 123,X,4,${owner},`,
        'NO 1,,4,nobody,',
      ];
      const file = { name: 'cars.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
      await page.getByLabel('File').setInputFiles(file);
      const dialog = page.getByRole('dialog', { name: 'Import cars' });
      await dialog.getByText('This creates 60, changes 0 and leaves 3 out.').waitFor();
      await dialog.getByText('These columns are ignored because there is no such field: colour.').waitFor();
      await dialog.getByText('Capital letters, digits').waitFor();
      await dialog.getByText('Must be 60 or less').waitFor();
      await dialog.getByText('This value is taken.').waitFor();
      await dialog.getByText('This row does not exist.').waitFor();
      await dialog.getByText('Required', { exact: true }).waitFor();
      assert.deepEqual(await seriousProblems(page), []);
      const plate = dialog.getByRole('textbox', { name: 'Plate in row 63' });
      await plate.fill('AB 124');
      await plate.blur();
      await dialog.getByText('This creates 61, changes 0 and leaves 2 out.').waitFor();
      await dialog.getByRole('button', { name: 'Import 61 cars' }).click();
      const done = page.getByRole('dialog', { name: '61 cars imported' });
      await done.getByText('Nothing failed.').waitFor();
      await done.getByRole('button', { name: 'Undo the import' }).click();
      await page.getByRole('dialog', { name: 'The import is undone' }).getByRole('button', { name: 'Close' }).click();
      const { body } = await request<{ data: object[] }>(service, '/v1/cars?search=model:Imported', { token });
      assert.equal(body.data.length, 0);
      await menu('Import');
      await page.getByLabel('File').setInputFiles(file);
      // The last corrected cell is still being checked when the others are imported.
      await dialog.getByText('This creates 60, changes 0 and leaves 3 out.').waitFor();
      const checked = Promise.withResolvers<void>();
      const lookUps = (url: URL) => url.searchParams.get('search')?.startsWith('plate') === true;
      await page.route(lookUps, async (route) => {
        await checked.promise;
        await route.continue();
      });
      await plate.fill('AB 124');
      await dialog.getByRole('button', { name: 'Import 60 cars' }).click();
      const imported = page.getByRole('dialog', { name: '60 cars imported' });
      await imported.getByText('This creates 0, changes 0 and leaves 3 out.').waitFor();
      checked.resolve();
      await imported.getByText('This creates 1, changes 0 and leaves 2 out.').waitFor();
      await page.unroute(lookUps);
      await imported.getByRole('button', { name: 'Close' }).click();
      await found('1-25 of 64');
    });

    await visit.test('jumps to a page, and shows the chosen columns', async () => {
      await page.getByRole('button', { name: 'Go to page 3' }).click();
      await found('51-64 of 64');
      assert.equal(await page.getByRole('columnheader', { name: 'Electric' }).count(), 0);
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('switch', { name: 'Electric' }).or(page.getByLabel('Electric')).first().click();
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'Electric' }).waitFor();
      await page.getByRole('cell', { name: 'No', exact: true }).first().waitFor();
    });

    await visit.test('changes all rows of a filter, on all pages', async () => {
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Seats' }).click();
      await page.getByRole('spinbutton', { name: 'Seats from' }).fill('3');
      await page.getByRole('spinbutton', { name: 'Seats to' }).fill('8');
      await found('1-25 of 43');
      await page
        .getByRole('checkbox', { name: /^Select .*IN / })
        .first()
        .check();
      await selection().getByRole('button', { name: 'Select all 43' }).click();
      await selection().getByText('43 cars selected').waitFor();
      await selection().getByRole('button', { name: 'Delete' }).click();
      await page
        .getByRole('dialog', { name: 'Delete 43 cars?' })
        .getByText(/\d assignments/)
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      // A cancelled task keeps the selection. It is hidden from the roles until the dialog has closed completely.
      await selection().getByText('43 cars selected').waitFor();
      await selection().getByRole('button', { name: 'Change' }).click();
      await page.getByRole('textbox', { name: 'New model' }).fill('Changed');
      await page.getByRole('button', { name: 'Change 43 cars' }).click();
      await page.getByRole('dialog', { name: '43 cars changed' }).getByText('Nothing failed.').waitFor();
      const changed = async () => {
        const path = '/v1/cars?search=model:Changed&limit=100';
        return (await request<{ data: object[] }>(service, path, { token })).body.data.length;
      };
      assert.equal(await changed(), 43);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      const toast = page.getByRole('alert').filter({ hasText: '43 cars changed' });
      await toast.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The change is undone.').waitFor();
      assert.equal(await changed(), 0);
    });

    await visit.test('exports all rows of a filter', async () => {
      await menu('Export');
      const dialog = page.getByRole('dialog', { name: 'Export cars' });
      await dialog.getByText('43 cars with this filter').waitFor();
      const saved = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'CSV' }).click();
      const copy = join(service.database.dir, 'cars.csv');
      await (await saved).saveAs(copy);
      const lines = readFileSync(copy, 'utf8').trimEnd().split('\r\n');
      assert.equal(lines.length, 44);
      assert.match(lines[0] ?? '', /^"id","plate","model","kind","seats"/);
      await dialog.getByRole('button', { name: 'Close' }).click();
    });

    await visit.test('deletes the selected rows, continues after failures, and reports them', async () => {
      await page.getByRole('menuitem', { name: 'Owners' }).click();
      await page.getByRole('checkbox', { name: 'Select Ada Lovelace' }).check();
      await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check();
      // The console does not know the cars that refer to the owners, so the service refuses.
      const counts = (url: URL) => url.pathname === '/v1/cars' && url.searchParams.get('limit') === '1';
      await page.route(counts, (route) => route.fulfill({ status: 404 }));
      // From here on, with the keyboard only.
      await selection().getByRole('button', { name: 'Delete' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Delete 2 owners?' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: '0 owners deleted' }).getByText('2 owners failed').waitFor();
      assert.deepEqual(await seriousProblems(page), []);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.unroute(counts);
      await page.getByRole('checkbox', { name: 'Select Ada Lovelace' }).check();
      await selection().getByRole('button', { name: 'Delete' }).click();
      const refused = page.getByRole('dialog', { name: 'Delete 1 owner?' });
      await refused.getByRole('link', { name: /cars/ }).waitFor();
      assert.ok(await refused.getByRole('button', { name: 'Delete 1 owner' }).isDisabled());
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Ada Lovelace' }).first().waitFor();
    });

    await visit.test('shows the progress of an undo, and can stop it', async () => {
      await page.getByRole('menuitem', { name: 'Cars' }).click();
      await menu('Import');
      // A request deletes at most 100 rows.
      const lines = ['plate,model,owner_id', ...Array.from({ length: 101 }, (_, n) => `UN ${n},Undone,${owner}`)];
      const file = { name: 'cars.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) };
      await page.getByLabel('File').setInputFiles(file);
      await page.getByRole('button', { name: 'Import 101 cars' }).click();
      const dialog = page.getByRole('dialog', { name: '101 cars imported' });
      await dialog.waitFor();
      const isHeld = Promise.withResolvers<void>();
      const batches = (url: URL) => url.pathname === '/v1/cars/batches';
      await page.route(batches, async (route) => {
        await isHeld.promise;
        await route.continue();
      });
      await dialog.getByRole('button', { name: 'Undo the import' }).click();
      await dialog.getByText('0 of 101').waitFor();
      await dialog.getByRole('button', { name: 'Stop' }).click();
      isHeld.resolve();
      await dialog.getByText('Stopped early. The remaining rows are unchanged.').waitFor();
      await page.unroute(batches);
      await dialog.getByRole('button', { name: 'Close' }).click();
      const undone = '/v1/cars?search=model:Undone';
      const { body } = await request<{ data: { id: string }[] }>(service, undone, { token });
      assert.equal(body.data.length, 1);
      await request(service, `/v1/cars/${body.data[0]?.id}`, { method: 'DELETE', token });
    });

    await visit.test('ends a selection when the filter changes, and when the list is left', async () => {
      await page.goto(`${service.url}/admin/cars?filter={}&displayedFilters={}`);
      const boxes = page.getByRole('checkbox', { name: /^Select .*IN \d/ });
      for (const i of [0, 1]) await boxes.nth(i).check();
      await selection().getByText('2 cars selected').waitFor();
      await page.getByPlaceholder('Plate').fill('AB 123');
      await boxes.first().waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: /^Select .*AB 123/ }).check();
      await selection().getByText('1 car selected').waitFor();
      await page.getByRole('menuitem', { name: 'Owners' }).click();
      await page.getByRole('checkbox', { name: 'Select Ada Lovelace' }).waitFor();
      await page.getByRole('menuitem', { name: 'Cars' }).click();
      await page.getByRole('checkbox', { name: /^Select .*AB 123/ }).waitFor();
      assert.equal(await selection().count(), 0);
    });

    await visit.test('works on a phone: selects, sorts, and shows the pages', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.getByRole('button', { name: 'Open menu' }).or(page.getByLabel(/menu/i)).first().waitFor();
      await page.goto(`${service.url}/admin/cars?filter={}&displayedFilters={}`);
      await found('1-25 of 64');
      await page
        .getByRole('checkbox', { name: /^Select / })
        .first()
        .check();
      await selection().getByText('1 car selected').waitFor();
      await page.getByRole('button', { name: /sort/i }).waitFor();
      const next = page.getByRole('button', { name: /next page/i });
      await next.scrollIntoViewIfNeeded();
      await next.click();
      await found('26-50 of 64');
      assert.equal(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        true,
        'nothing overflows',
      );
      assert.deepEqual(await seriousProblems(page), []);
      assert.deepEqual(complaints, []);
    });
  });
});
