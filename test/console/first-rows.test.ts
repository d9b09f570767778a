import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

const pets = `
import { defineResource, t } from 'gatehouse-server/resources';
export default defineResource({
  name: 'pets',
  fields: { name: t.text({ required: true }), tame: t.boolean(), user_id: t.reference('users') },
  access: { read: 'auth:api', write: 'auth:api' },
});
`;

describe('A list on a slow connection', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-pets-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const browser = browsers();
  const start = services('sqlite');

  test('shows its rows before the code of the console has arrived', { timeout: 300_000 }, async () => {
    writeFileSync(join(dir, 'pets.ts'), pets);
    const service = await start({ env: { RESOURCES_DIR: dir } });
    await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    const token = await logIn(service, 'ada@example.com', password);
    const json = { name: '<b>Rex</b>', tame: true };
    const { body } = await request<{ data: { id: string } }>(service, '/v1/pets', { token, json });
    const { page, complaints } = await openConsole(await browser(), service, 'ada@example.com', password);
    const arrived = Promise.withResolvers<void>();
    await page.route(/\/assets\/render-console-/, async (route) => {
      await arrived.promise;
      await route.continue();
    });

    await page.goto(`${service.url}/admin/pets`, { waitUntil: 'commit' });
    await page.getByRole('row', { name: '<b>Rex</b> Yes' }).waitFor();
    assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), ['Name', 'Tame', 'Created', 'User']);
    const link = page.getByRole('link', { name: '<b>Rex</b>' });
    assert.equal(await link.getAttribute('href'), `/admin/pets/${body.data.id}/show`);
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Pets');
    assert.deepEqual(await seriousProblems(page), []);

    const watch = `(() => {
      const isSeen = (row) => row.checkVisibility();
      globalThis.framesWithoutRows = 0;
      (function look() {
        if (![...document.querySelectorAll('tbody tr')].some(isSeen)) framesWithoutRows++;
        requestAnimationFrame(look);
      })();
    })()`;
    await page.evaluate(watch);
    arrived.resolve();
    await page.getByRole('checkbox', { name: 'Select <b>Rex</b>' }).waitFor();
    assert.equal(await page.locator('.first-rows').count(), 0);
    assert.equal(await page.evaluate('framesWithoutRows'), 0);
    assert.deepEqual(complaints, []);
  });
});
