import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, addUser, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

describe('The console and applications', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  before(async () => {
    service = await start();
    const { email } = await addLogin(service, { roles: ['admin'] });
    ({ page, complaints } = await openConsole(await browser(), service, email, password));
  });

  test('creates an application, shows its settings, and lists its consents', { timeout: 300_000 }, async () => {
    await page.getByRole('menuitem', { name: 'Clients' }).click();
    await page.getByRole('heading', { name: 'Clients' }).waitFor();
    await page.getByRole('link', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'New client' }).waitFor();
    assert.equal(await page.getByLabel('Redirect URIs').count(), 0, 'a personal client has no redirect URIs');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'application' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Notes');
    const uris = page.getByRole('combobox', { name: 'Redirect URIs', exact: true });
    await uris.fill('https://app.example/callback');
    await uris.press('Enter');
    await page.getByRole('switch', { name: 'Trusted' }).check();
    await page.getByRole('switch', { name: 'Public' }).check();
    assert.deepEqual(await seriousProblems(page), []);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Client Notes' }).waitFor();
    await page.getByText('https://app.example/callback').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New secret' }).count(), 0);

    const { db } = service.context.database;
    const client = await db.selectFrom('clients').selectAll().where('name', '=', 'Notes').executeTakeFirstOrThrow();
    assert.deepEqual([client.type, client.public, client.trusted], ['application', 1, 1]);
    assert.ok(JSON.parse(client.scopes).includes('openid') && !JSON.parse(client.scopes).includes('*'));
    const { id: userId, email } = await addUser(service.context, { email: 'ada@example.com' });
    const times = { created_at: service.context.now(), updated_at: service.context.now() };
    const scopes = JSON.stringify(['openid', 'profile']);
    await db
      .insertInto('consents')
      .values({ id: userId, user_id: userId, client_id: client.id, scopes, asked: scopes, ...times })
      .execute();
    await page.reload();
    await page.getByRole('link', { name: email }).first().waitFor();
    await page.getByRole('menuitem', { name: 'Consents' }).click();
    await page.getByRole('cell', { name: 'profile' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('creates a token only after its scopes are chosen', { timeout: 300_000 }, async () => {
    await page.getByRole('menuitem', { name: 'Sessions & tokens' }).click();
    await page.getByRole('link', { name: 'Create', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Script');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Required').waitFor();
    const scopes = page.getByRole('combobox', { name: 'Scopes' });
    await scopes.fill('users:read');
    await page.getByRole('option', { name: 'users:read' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').waitFor();
    const { db } = service.context.database;
    const token = await db
      .selectFrom('sessions')
      .select('scopes')
      .where('name', '=', 'Script')
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(token.scopes as string), ['users:read']);
  });
});
