import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { openFleet } from './fleet.ts';

describe('The console', () => {
  const browser = browsers();
  const start = services('sqlite');

  test('asks for a recent proof in a dialog and keeps the input', { timeout: 300_000 }, async () => {
    const { service, page, token, complaints } = await openFleet(start, browser);
    const clients = async () =>
      (await request<{ data: { name: string }[] }>(service, '/v1/clients?search=name:Reports', { token })).body.data
        .length;
    await page.goto(`${service.url}/admin/clients/create`);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Reports');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'personal' }).click();
    // The proof of the login is too old now.
    service.advance(1_000_000);
    await page.getByRole('button', { name: 'Create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it’s you' });
    await dialog.waitFor();
    assert.deepEqual(await seriousProblems(page), []);

    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await name.inputValue(), 'Reports');
    assert.equal(await clients(), 0);

    await page.getByRole('button', { name: 'Create' }).click();
    await dialog.getByLabel('Password').fill('a wrong password');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').waitFor();
    assert.equal(await clients(), 0);
    await dialog.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');

    await page.getByRole('dialog', { name: 'Copy it now' }).waitFor();
    assert.equal(await clients(), 1);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('heading', { name: 'Client Reports' }).waitFor();

    // After the proof, the console asks for none for a while.
    await page.getByRole('button', { name: 'New secret' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /secret/i })
      .last()
      .click();
    await page.getByRole('dialog', { name: 'Copy it now' }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
