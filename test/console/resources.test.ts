import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { filled, openConsole } from './open-console.ts';

/** The console knows only the service's description of these resources. */
describe('The console and the resources of an operator', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  let token: string;

  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(import.meta.dirname, '../client/resources') } });
    const { email } = await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    token = await logIn(service, email, password);
    await request(service, '/v1/folders', { json: { name: 'Work' }, token });
    await request(service, '/v1/folders', { json: { name: 'Home' }, token });
    ({ page, complaints } = await openConsole(await browser(), service, email, password));
  });

  test('creates, finds, changes and deletes rows', { timeout: 900_000 }, async (visit) => {
    await visit.test('opens after a sign-in on the login page', async () => {
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByRole('link', { name: 'Folders' }).getByText('2').waitFor();
    });

    await visit.test('creates a row that refers to another', async () => {
      await page.getByRole('menuitem', { name: 'Notes' }).click();
      await page.getByText('No notes yet.').waitFor();
      await page.getByRole('link', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'New note' }).waitFor();
      await page.getByRole('textbox', { name: 'Title' }).fill('<img src=x onerror=alert(1)>; *');
      await page.getByRole('combobox', { name: 'Folder' }).fill('hom');
      await page.getByRole('option', { name: 'Home' }).click();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Note <img src=x onerror=alert(1)>; *' }).waitFor();
      await page.getByRole('link', { name: 'Home' }).waitFor();
    });

    await visit.test('shows errors beside the field, from the console and from the service', async () => {
      await page.getByRole('link', { name: 'Edit' }).click();
      await filled(page, '<img');
      await page.getByRole('spinbutton', { name: 'Stars' }).fill('9');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Must be 5 or less').waitFor();
      await page.getByRole('spinbutton', { name: 'Stars' }).fill('5');
      await page.getByRole('combobox', { name: 'Folder' }).fill('Wor');
      await page.getByRole('option', { name: 'Work' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Work' }).click();
      await page.getByRole('heading', { name: 'Folder Work' }).waitFor();
      await page.getByRole('link', { name: 'Edit' }).click();
      await filled(page, 'Work');
      await page.getByRole('textbox', { name: 'Name' }).fill('Home');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.Mui-error', { hasText: 'name' }).first().waitFor();
      await page.getByRole('link', { name: 'Show' }).click();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await page.getByRole('link', { name: '<img' }).click();
    });

    await visit.test('does not overwrite concurrent changes of another person', async () => {
      await page.getByRole('link', { name: 'Edit' }).click();
      await filled(page, '<img');
      await page.getByRole('textbox', { name: 'Title' }).fill('Mine');
      const { body } = await request<{ data: { id: string }[] }>(service, '/v1/notes', { token });
      const id = body.data[0]?.id;
      await request(service, `/v1/notes/${id}`, { method: 'PATCH', json: { title: 'Theirs' }, token });
      // As when a user returns from another tab: the input stays.
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await page.waitForLoadState('networkidle');
      assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Mine');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog', { name: /Somebody else changed/ }).waitFor();
      await page.getByRole('button', { name: 'Take all of theirs' }).click();
      await filled(page, 'Theirs');
    });

    await visit.test('finds rows, and shows their related rows', async () => {
      await page.getByRole('menuitem', { name: 'Folders' }).click();
      const other = page.getByRole('cell', { name: 'Home', exact: true });
      // Waits for the row first: a row that is not there yet looks like a deleted one.
      await other.waitFor();
      await page.getByPlaceholder('Name').fill('wor');
      await other.waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: 'Work', exact: true }).click();
      await page.getByRole('heading', { name: 'Folder Work' }).waitFor();
      await page.getByRole('cell', { name: 'Theirs', exact: true }).waitFor();
    });

    await visit.test('shows declared actions', async () => {
      await page.getByRole('cell', { name: 'Theirs', exact: true }).click();
      await page.getByRole('button', { name: 'Applaud' }).click();
      await page.getByRole('dialog').getByText('Tell the author.').waitFor();
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('Done', { exact: true }).waitFor();
    });

    await visit.test('deletes a row after a confirmation', async () => {
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete note “Theirs”?' });
      await dialog.getByRole('button', { name: 'Delete note', exact: true }).click();
      await page.getByText('Note deleted', { exact: true }).waitFor();
      await page.getByText('No notes yet.').waitFor();
    });

    await visit.test('shows the reports of the import of the first rows, and of the deletion of all rows', async () => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Import' }).click();
      const file = { name: 'notes.csv', mimeType: 'text/csv', buffer: Buffer.from('title\nOne\nTwo') };
      await page.getByLabel('File').setInputFiles(file);
      await page.getByRole('button', { name: 'Import 2 notes' }).click();
      const rows = page.locator('tbody tr');
      await rows.nth(1).waitFor();
      const imported = page.getByRole('dialog', { name: '2 notes imported' });
      await imported.getByRole('button', { name: 'Undo the import' }).waitFor();
      await imported.getByRole('button', { name: 'Close' }).click();
      for (const name of ['Select One', 'Select Two']) await page.getByRole('checkbox', { name }).check();
      await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete 2 notes' }).click();
      const deleted = page.getByRole('dialog', { name: '2 notes deleted' });
      await deleted.getByText('Nothing failed.').waitFor();
      // As when a user returns from another tab: the list reads its rows again.
      await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
      await rows.first().waitFor({ state: 'detached' });
      await deleted.getByRole('button', { name: 'Close' }).click();
      await page.getByText('No notes yet.').waitFor();
    });

    await visit.test('closes when the session ends', async () => {
      await page.getByRole('button', { name: /ada@example|Profile/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      assert.match(page.url(), /\/login\?next=%2Fadmin$/);
    });

    await visit.test('runs no inline script, calls no other host, and violates no Content-Security-Policy', () => {
      assert.deepEqual(complaints, []);
    });
  });
});
