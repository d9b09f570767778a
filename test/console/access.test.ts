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

describe('The console and access rights', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  const goTo = (name: string) => page.getByRole('menuitem', { name }).click();
  const choose = (name: string) => page.getByRole('option', { name, exact: true }).click();

  before(async () => {
    service = await start({ env: { ROLES: 'admin,editor', RESOURCES_DIR: join(fleet, 'resources') } });
    const { email } = await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    await seed(service.url, await logIn(service, email, password));
    await request(service, '/v1/clients/web/admin/login', { json: { email, password: 'wrong' } });
    ({ page, complaints } = await openConsole(await browser(), service, email, password));
  });

  test('lets an administrator manage users, clients and rows', { timeout: 900_000 }, async (visit) => {
    await visit.test('shows the state of the service', async () => {
      await page
        .getByRole('link', { name: /^Users/ })
        .getByText(/^\d+$/)
        .waitFor();
      await page.getByRole('region', { name: 'Sign-ins' }).getByText('1 failed').waitFor();
      await page.getByText('no SMTP_URL').waitFor();
      await page.getByText('A sign-in of').first().waitFor();
    });

    await visit.test('creates a user who can log in', async () => {
      await goTo('Users');
      await page.getByRole('cell', { name: 'ada@example.com', exact: true }).first().waitFor();
      await page.getByRole('link', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'New user' }).waitFor();
      await page.getByRole('textbox', { name: 'Email' }).fill('Grace@Example.com');
      await page.getByLabel('Password', { exact: false }).first().fill(password);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'User grace@example.com' }).waitFor();
      assert.ok(await logIn(service, 'grace@example.com', password));
    });

    await visit.test('gives a user a role', async () => {
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByRole('combobox', { name: 'Roles' }).click();
      await choose('editor');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'User grace@example.com' }).waitFor();
      await page.getByText('editor', { exact: true }).waitFor();
    });

    await visit.test('revokes a session, whose token is refused from then on', async () => {
      const token = await logIn(service, 'grace@example.com', password);
      assert.equal((await request(service, '/v1/users/me', { token })).status, 200);
      await goTo('Sessions & tokens');
      const row = page.getByRole('row').filter({ hasText: 'grace@example.com' }).filter({ hasText: 'session' });
      await row.first().getByRole('checkbox').waitFor();
      for (const box of await row.getByRole('checkbox').all()) await box.check();
      await page.getByRole('button', { name: 'Revoke' }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Revoke \d/ })
        .click();
      await page.getByText('Nothing failed.').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await row.first().waitFor({ state: 'detached' });
      const { status, body } = await request(service, '/v1/users/me', { token });
      assert.deepEqual([status, body.code], [401, 'token_revoked']);
    });

    await visit.test('shows the value of a token until the person has copied it', async () => {
      const token = await logIn(service, 'ada@example.com', password);
      const json = { name: 'Scripts', scopes: ['*'] };
      const { body } = await request<{ data: { id: string } }>(service, '/v1/tokens', { json, token });
      const { db } = service.context.database;
      await db.updateTable('sessions').set({ revealed_at: null }).where('id', '=', body.data.id).execute();
      await page.goto(`${service.url}/admin/tokens/${body.data.id}/show`);
      const button = page.locator('button', { hasText: 'Show the value' });
      await button.click();
      const dialog = page.getByRole('dialog', { name: 'Copy it now' });
      const value = await dialog.getByRole('textbox').inputValue();
      // The page reads the token again, and the value cannot be shown a second time.
      await button.waitFor({ state: 'detached' });
      assert.equal(await dialog.getByRole('textbox').inputValue(), value);
      await dialog.getByRole('button', { name: 'I have copied it' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal((await request(service, '/v1/users/me', { token: value })).status, 200);
    });

    await visit.test('disables a user, filters by disabled users, and enables the user again', async () => {
      const token = await logIn(service, 'grace@example.com', password);
      const open = async () => {
        await goTo('Users');
        await page.getByRole('link', { name: 'grace@example.com' }).click();
        await page.getByRole('heading', { name: 'User grace@example.com' }).waitFor();
      };
      const flip = async () => {
        await page.getByRole('link', { name: 'Edit' }).click();
        await page.getByRole('switch', { name: 'Disabled' }).click();
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { name: 'User grace@example.com' }).waitFor();
      };
      await open();
      await flip();
      const { status, body } = await request(service, '/v1/users/me', { token });
      assert.deepEqual([status, body.code], [401, 'user_gone']);
      await goTo('Users');
      const other = page.getByRole('cell', { name: 'ada@example.com', exact: true }).first();
      await other.waitFor();
      await page.getByRole('button', { name: 'Add filter' }).click();
      await page.getByRole('menuitemcheckbox', { name: 'Disabled' }).click();
      await page.getByRole('combobox', { name: 'Disabled' }).click();
      await choose('Yes');
      await other.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'grace@example.com' }).click();
      await page.getByRole('heading', { name: 'User grace@example.com' }).waitFor();
      await flip();
      assert.ok(await logIn(service, 'grace@example.com', password));
      await goTo('Users');
      await page.getByRole('button', { name: 'Remove this filter' }).click();
      await page.getByRole('cell', { name: 'ada@example.com', exact: true }).first().waitFor();
    });

    await visit.test('creates a client and shows its secret once', async () => {
      await goTo('Clients');
      await page.getByRole('link', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'New client' }).waitFor();
      await page.getByRole('textbox', { name: 'Name' }).fill('Reports');
      await page.getByRole('button', { name: 'Create' }).click();
      const secret = await page.getByRole('textbox', { name: 'Client secret' }).inputValue();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('heading', { name: 'Client Reports' }).waitFor();
      const id = /clients\/([^/]+)\/show/.exec(page.url())?.[1] as string;
      const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
      assert.equal((await request(service, '/v1/oauth/token', { form })).status, 200);
      await page.getByText('Reports').first().waitFor();
      assert.ok(!(await page.content()).includes(secret));

      await page.getByRole('button', { name: 'New secret' }).click();
      await page.getByRole('combobox', { name: 'Keep the old secret working for' }).click();
      await choose('No time: end it now');
      await page.getByRole('button', { name: 'Create a new secret' }).click();
      assert.equal(await page.getByRole('textbox', { name: 'Client id' }).inputValue(), id);
      const next = await page.getByRole('textbox', { name: 'Client secret' }).inputValue();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      assert.equal((await request(service, '/v1/oauth/token', { form: { ...form, client_secret: next } })).status, 200);
      assert.equal((await request(service, '/v1/oauth/token', { form })).status, 401);
    });

    await visit.test('gives a car of the fleet another owner', async () => {
      await goTo('Cars');
      const other = page.getByRole('cell', { name: 'AB 123', exact: true });
      // Waits for the row first: a row that is not there yet looks like a deleted one.
      await other.waitFor();
      await page.getByPlaceholder('Plate').fill('ef');
      await other.waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: 'EF 789', exact: true }).click();
      await page.getByRole('link', { name: 'Grace Hopper' }).waitFor();
      await page.getByRole('cell', { name: 'Zoë Ångström', exact: true }).first().waitFor();
      await page.getByRole('link', { name: 'Edit' }).click();
      // Waits for the row, which would otherwise overwrite the input.
      await filled(page, 'Grace Hopper');
      await page.getByRole('combobox', { name: 'Owner' }).fill('ada');
      await page.getByRole('option', { name: 'Ada Lovelace' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Ada Lovelace' }).click();
      await page.getByRole('heading', { name: 'Owner Ada Lovelace' }).waitFor();
      await page.getByRole('cell', { name: 'EF 789', exact: true }).waitFor();
    });

    await visit.test('shows the audit trail, which cannot be changed', async () => {
      await goTo('Events');
      const other = page.getByText('signed in').first();
      await other.waitFor();
      await page.getByRole('combobox', { name: 'Kind' }).fill('created the client');
      await page.getByRole('option', { name: '… created the client …' }).click();
      await other.waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('link', { name: 'Create', exact: true }).count(), 0);
      await page.getByText('ada@example.com created the client Reports').waitFor();
      await page
        .getByRole('link', { name: /^now|ago$/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Event client.created' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
      assert.deepEqual(await seriousProblems(page), []);
    });

    await visit.test('closes when the session is revoked elsewhere', async () => {
      const token = await logIn(service, 'ada@example.com', password);
      const oldestFirst = '/v1/tokens?search=type:session&orderBy=created_at&sortedBy=asc';
      const { body } = await request<{ data: { id: string }[] }>(service, oldestFirst, { token });
      for (const { id } of body.data) await request(service, `/v1/tokens/${id}`, { method: 'DELETE', token });
      await goTo('Users');
      await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
      await page.getByRole('button', { name: 'Leave the console' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    });

    await visit.test('causes no errors in the browser', () => {
      assert.deepEqual(complaints, []);
    });
  });
});
