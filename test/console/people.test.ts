import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

/** With the keyboard only, unless a comment says otherwise. */
describe('The console and people', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  let graceId: string;
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  /** Ctrl-K, a text, and Enter on the first result. */
  const openBySearch = async (text: string, found: string) => {
    await press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill(text);
    await page.getByRole('option', { name: found, selected: true }).waitFor();
    await press('Enter');
  };
  /** Presses a button with a confirmation, by the keyboard. */
  const pressAndConfirm = async (button: string, confirm = button) => {
    await page.getByRole('button', { name: button, exact: true }).first().press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: confirm, exact: true }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  before(async () => {
    service = await start({
      env: { ROLES: 'admin,editor', RESOURCES_DIR: join(import.meta.dirname, '../client/resources') },
    });
    const { email } = await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    const { id } = await addLogin(service, { email: 'grace@example.com' });
    await addLogin(service, { email: 'grace2@example.com' });
    graceId = id;
    const { db } = service.context.database;
    await db.updateTable('users').set({ name: 'Grace Hopper' }).where('email', 'like', 'grace%').execute();
    await db.updateTable('users').set({ email_confirmed: 0 }).where('id', '=', id).execute();
    const token = await logIn(service, email, password);
    await request(service, '/v1/folders', { json: { name: 'Graceful things' }, token });
    await logIn(service, 'grace@example.com', password);
    for (let i = 0; i < 10; i++) {
      await request(service, '/v1/clients/web/admin/login', {
        json: { email: 'grace@example.com', password: 'wrong' },
      });
    }
    ({ page, complaints } = await openConsole(await browser(), service, email, password));
  });

  test('finds, manages and invites people', { timeout: 600_000 }, async (visit) => {
    await visit.test(
      'finds people, rows and actions from every page, and distinguishes two people with one name',
      async () => {
        await press('Control+k');
        const search = page.getByRole('combobox', { name: 'Search everything' });
        await search.fill('grace');
        for (const name of ['Grace Hopper grace@example.com', 'Grace Hopper grace2@example.com', 'Graceful things']) {
          await page.getByRole('option', { name, exact: true }).waitFor();
        }
        await search.fill('sessions');
        await page.getByRole('option', { name: 'My sessions' }).waitFor();
        await press('Escape');
        await openBySearch('grace@', 'Grace Hopper');
        await page.getByRole('heading', { name: 'User Grace Hopper' }).waitFor();
      },
    );

    await visit.test('shows the history and the sessions of a user', async () => {
      await page.getByRole('region', { name: 'Activity' }).getByText('signed in').first().waitFor();
      await page.getByRole('region', { name: 'Sessions' }).getByText('127.0.0.1').first().waitFor();
      await page.getByText('Email not confirmed').waitFor();
      await page.getByText('Locked until').waitFor();
      assert.deepEqual(await seriousProblems(page), []);
    });

    await visit.test(
      'unlocks a user, confirms the email, sends a reset, ends the sessions and gives a role',
      async () => {
        await pressAndConfirm('Unlock');
        await page.getByText('Locked until').waitFor({ state: 'detached' });
        const token = await logIn(service, 'grace@example.com', password);
        await pressAndConfirm('Confirm email');
        await page.getByText('Email not confirmed').waitFor({ state: 'detached' });
        await pressAndConfirm('Send reset email');
        assert.equal((await mailsTo(service, 'reset-password', 'grace@example.com')).length, 1);
        await pressAndConfirm('Sign out everywhere');
        assert.equal((await request(service, '/v1/users/me', { token })).status, 401);
        await page.getByRole('button', { name: 'Roles', exact: true }).press('Enter');
        await page.getByRole('checkbox', { name: 'editor' }).press('Space');
        await page.getByRole('button', { name: 'Save roles' }).press('Enter');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByText('editor', { exact: true }).waitFor();
        await page.getByText('sent Grace Hopper a link').first().waitFor();
      },
    );

    await visit.test('marks the current session', async () => {
      await openBySearch('ada@', 'ada@example.com');
      await page.getByText('This session').waitFor();
    });

    await visit.test('invites a user by email', async () => {
      await openBySearch('invite', 'Invite a person');
      // The dialog is a separate chunk. Keys are ignored until it is loaded.
      await page.locator('input[type=email]:focus').waitFor();
      await page.keyboard.type('nobody');
      await press('Enter');
      await page.getByRole('dialog').getByText('email', { exact: false }).last().waitFor();
      await page.getByRole('textbox', { name: 'Email' }).fill('barbara@example.com');
      await press('Tab');
      await page.keyboard.type('Barbara Liskov');
      await press('Enter');
      await page.getByRole('heading', { name: 'User Barbara Liskov' }).waitFor();
      assert.equal((await mailsTo(service, 'invitation', 'barbara@example.com')).length, 1);
    });

    await visit.test('shows the affected rows before it deletes a user', async () => {
      await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
      await page.getByRole('dialog').getByRole('link', { name: '1 token' }).waitFor();
      await page.getByRole('button', { name: 'Delete user', exact: true }).press('Enter');
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      assert.equal(
        (await request(service, `/v1/users/${graceId}`, { token: await logIn(service, 'ada@example.com', password) }))
          .status,
        200,
      );
    });

    await visit.test('has rows that are links, and a visible focus for every Tab stop', async () => {
      const link = page.getByRole('link', { name: 'ada@example.com' });
      await link.waitFor();
      assert.match((await link.getAttribute('href')) ?? '', /\/users\/[^/]+\/show$/);
      await page.getByRole('checkbox', { name: 'Select ada@example.com' }).waitFor();
      const [opened] = await Promise.all([
        page.context().waitForEvent('page'),
        link.click({ modifiers: ['ControlOrMeta'] }),
      ]);
      await opened.close();
      const unseen: string[] = [];
      for (let i = 0; i < 45; i++) {
        await press('Tab');
        const stop = (await page.evaluate(seenStop)) as string;
        if (stop !== '') unseen.push(stop);
      }
      assert.deepEqual(unseen, []);
    });

    await visit.test('shows the figures for a month, and causes no errors in the browser', async () => {
      await openBySearch('overview', 'Overview');
      await page.getByRole('button', { name: '30 days' }).press('Enter');
      const chart = page.getByRole('region', { name: 'Sign-ins, 30 days' });
      await chart.locator('svg').first().waitFor();
      await chart.getByText(/failed/).waitFor();
      assert.deepEqual(await seriousProblems(page), []);
      assert.deepEqual(complaints, []);
    });
  });
});

/** The focused element, if it is hidden or shows no focus. */
const seenStop = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return '';
  const { width, height } = at.getBoundingClientRect();
  const style = getComputedStyle(at);
  const field = at.closest('.MuiInputBase-root, .MuiCheckbox-root, .MuiSwitch-root');
  const shown = width > 0 && height > 0 && style.visibility === 'visible' && style.opacity !== '0';
  const marked = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || field !== null;
  return (shown || field) && marked ? '' : at.outerHTML.slice(0, 200);
})()`;
