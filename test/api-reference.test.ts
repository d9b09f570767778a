import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { browsers } from './harness/browser.ts';
import { services } from './harness/service.ts';
import { root } from './harness/starts.ts';

describe('The API reference, in a browser', () => {
  const start = services('sqlite');
  const open = browsers();

  /** Opens the operation, and what comes after a click on Execute. */
  async function operation(page: Page, id: string) {
    const block = page.locator(`[id$="-${id}"].opblock`);
    await block.locator('.opblock-summary-control').click();
    await block.locator('.btn.execute').waitFor();
    return {
      block,
      async execute(): Promise<{ status: string; body: string; curl: string }> {
        await block.locator('.btn.execute').click();
        const answer = block.locator('.live-responses-table .response');
        await answer.waitFor();
        return {
          status: await answer.locator('.response-col_status').innerText(),
          body: await answer.locator('.response-col_description').innerText(),
          curl: await block.locator('.curl-command').innerText(),
        };
      },
    };
  }

  it('works at the first click, with a token that one has just got, for one’s own resources', async () => {
    const { url } = await start({
      env: { RESOURCES_DIR: join(root, 'examples/fleet/resources'), BRAND_NAME: 'Fleet of <Ada>' },
    });
    const page = await (await open()).newPage();
    await page.goto(`${url}/docs`);
    await page.getByRole('heading', { name: /^Fleet of <Ada>/ }).waitFor();
    assert.equal(await page.title(), 'Fleet of <Ada> API reference');
    const tags = page.locator('.opblock-tag-section');
    assert.equal(
      await tags.first().locator('.opblock-tag').getAttribute('data-tag'),
      'assignments',
      'one’s own come first',
    );

    const early = await (await operation(page, 'list_cars')).execute();
    assert.match(early.status, /^401/);

    const login = await operation(page, 'postClientsWebAdminLogin');
    await login.block
      .locator('textarea.body-param__text')
      .fill(JSON.stringify({ email: 'admin@example.com', password: 'correct horse battery' }));
    assert.match((await login.execute()).status, /^200/);

    const cars = page.locator('[id$="-list_cars"].opblock');
    await cars.locator('.btn.execute').click();
    await cars.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    assert.match(await cars.locator('.curl-command').innerText(), /Authorization: Bearer /);

    const made = await (await operation(page, 'create_owners')).execute();
    assert.match(made.status, /^201/, made.body);
    const gone = await (await operation(page, 'delete_owners')).execute();
    assert.match(gone.status, /^404/, 'not 406: an answer without a body asks for JSON all the same');

    const samples = await cars.locator('.sample').allInnerTexts();
    assert.match(samples[0] ?? '', /curl 'http[^']+\/v1\/cars'/);
    assert.match(samples[1] ?? '', /gatehouse\.resource\('cars'\)\.list/);
  });
});
