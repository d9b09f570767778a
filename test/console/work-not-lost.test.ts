import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seed } from '../../examples/fleet/seed.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { filled, openConsole } from './open-console.ts';

const fleet = join(import.meta.dirname, '../../examples/fleet');

describe('The console', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  let token: string;
  let id: string;
  const email = 'ada@example.com';
  const model = () => page.getByRole('textbox', { name: 'Model' });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  const change = (json: object) => request(service, `/v1/cars/${id}`, { method: 'PATCH', json, token });

  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(fleet, 'resources') } });
    await addLogin(service, { email, roles: ['admin'] });
    token = await logIn(service, email, password);
    await seed(service.url, token);
    const { body } = await request<{ data: { id: string }[] }>(service, '/v1/cars?search=plate:AB 123', { token });
    id = body.data[0]?.id as string;
    ({ page, complaints } = await openConsole(await browser(), service, email, password));
  });

  test('does not lose unsaved input', { timeout: 600_000 }, async (visit) => {
    await visit.test('asks before unsaved changes are discarded', async () => {
      await page.goto(`${service.url}/admin/cars/${id}`);
      await model().fill('Mine');
      await page.getByRole('menuitem', { name: 'Owners' }).click();
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
      assert.deepEqual(await seriousProblems(page), []);
      await page.keyboard.press('Enter');
      assert.equal(await model().inputValue(), 'Mine');
    });

    await visit.test('shows both versions of a conflict, and saves the choice for each field', async () => {
      await change({ model: 'Theirs', seats: 9 });
      await save();
      const dialog = page.getByRole('dialog', { name: /Somebody else changed/ });
      await dialog.getByText('Both changed it').waitFor();
      assert.equal(await dialog.getByRole('radio', { name: 'Mine Mine' }).isChecked(), true);
      assert.equal(await dialog.getByRole('radio', { name: 'Theirs 9' }).isChecked(), true);
      // Changes the row again while the dialog is open, so there are new versions to choose from.
      await change({ seats: 8 });
      await dialog.getByRole('button', { name: 'Save my choices' }).click();
      await dialog.getByRole('radio', { name: 'Theirs 8' }).waitFor();
      await dialog.getByRole('button', { name: 'Save my choices' }).click();
      await page.getByText('Car saved.').waitFor();
      const { body } = await request<{ data: object }>(service, `/v1/cars/${id}?filter=model;seats`, { token });
      assert.deepEqual(body.data, { model: 'Mine', seats: 8 });
    });

    await visit.test('can take the whole version of the other person', async () => {
      await page.getByRole('link', { name: 'Edit' }).click();
      await model().fill('Mine again');
      await change({ model: 'Theirs again' });
      await save();
      await page.getByRole('button', { name: 'Take all of theirs' }).click();
      await filled(page, 'Theirs again');
    });

    await visit.test(
      'asks for a login over the form when the session has ended, and then continues the save',
      async () => {
        await model().fill('Typed before');
        const { body } = await request<{ data: { id: string }[] }>(service, '/v1/tokens?search=type:session', {
          token,
        });
        for (const { id } of body.data) await request(service, `/v1/tokens/${id}`, { method: 'DELETE', token });
        await save();
        const dialog = page.getByRole('dialog', { name: 'Sign in again' });
        await dialog.waitFor();
        assert.deepEqual(await seriousProblems(page), []);
        // With the keyboard only.
        await page.keyboard.type(email);
        await page.keyboard.press('Tab');
        await page.keyboard.type('a wrong password');
        await page.keyboard.press('Enter');
        await dialog.getByRole('alert').getByText('wrong').waitFor();
        await dialog.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Car Typed before' }).waitFor();
      },
    );

    await visit.test('returns to the row after a sign-in on the login page', async () => {
      await page.context().clearCookies();
      await page.goto(`${service.url}/admin/cars/${id}/show`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Car Typed before' }).waitFor();
    });

    await visit.test('reports that the service is unavailable, and reloads when it is back', async () => {
      assert.deepEqual(complaints, []);
      const calls = (url: URL) => url.pathname.startsWith('/v1/');
      await page.route(calls, (route) => route.abort());
      await page.getByRole('menuitem', { name: 'Drivers' }).click();
      await page.getByRole('heading', { name: 'The service is not answering' }).waitFor();
      assert.equal(await page.getByText('None.').count(), 0);
      await page.unroute(calls);
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByRole('link', { name: 'Max Verne' }).first().waitFor();
    });

    await visit.test('keeps dialogs and their text when the page cannot be read again', async () => {
      const calls = (url: URL) => url.pathname.startsWith('/v1/');
      const readAgainInVain = async () => {
        await page.route(calls, (route) => route.fulfill({ status: 503 }));
        // As when a user returns from another tab.
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        await page.getByRole('alert', { includeHidden: true }).filter({ hasText: 'Retry' }).first().waitFor();
        await page.unroute(calls);
      };
      const leave = () => page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.goto(`${service.url}/admin/cars/${id}/show`);
      await page.getByRole('link', { name: 'Ada Lovelace' }).first().click();
      await page.getByRole('button', { name: 'New car' }).click();
      await model().fill('Typed in a dialog');
      await readAgainInVain();
      assert.equal(await model().inputValue(), 'Typed in a dialog');
      await leave();
      await page.getByRole('menuitem', { name: 'Cars' }).click();
      await page.getByRole('checkbox', { name: /^Select .*AB 123/ }).check();
      await page.getByRole('button', { name: 'Change' }).click();
      const value = page.getByRole('textbox', { name: 'New model' });
      await value.fill('Typed for many');
      await readAgainInVain();
      await page.setViewportSize({ width: 600, height: 800 });
      await page.locator('ul.rows').waitFor();
      assert.equal(await value.inputValue(), 'Typed for many');
      await page.setViewportSize({ width: 1280, height: 720 });
      await leave();
    });
  });
});
