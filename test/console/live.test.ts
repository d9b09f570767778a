import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startReceiver } from '../changes/receiver.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { openFleet } from './fleet.ts';

interface Rows {
  data: { id: string; owner_id: string }[];
}

describe('The console', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  let grace: string;
  let car: { id: string; owner_id: string };
  const goTo = (name: string) => page.getByRole('menuitem', { name, exact: true }).click();
  const change = (json: object) => request(service, `/v1/cars/${car.id}`, { method: 'PATCH', json, token: grace });

  /** Opens a page, and returns when its stream is open. */
  const followed = async (go: () => Promise<void>) => {
    const stream = page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/changes');
    await go();
    await stream;
  };

  before(async () => {
    ({ service, page, complaints } = await openFleet(start, browser));
    const { email } = await addLogin(service, { email: 'grace@example.com', roles: ['admin'] });
    grace = await logIn(service, email, password);
    const { body } = await request<Rows>(service, '/v1/cars?search=plate:AB 123', { token: grace });
    car = body.data[0] as typeof car;
  });

  test('shows changes of other people live', { timeout: 600_000 }, async (visit) => {
    await visit.test('updates the figures of the overview', async () => {
      const figure = page.getByRole('link', { name: /^Cars/ }).locator('p').last();
      await figure.filter({ hasText: /\d/ }).waitFor();
      const count = Number(await figure.innerText());
      assert.ok(count > 0);
      const json = { plate: 'LIVE 1', model: 'Fiat Tipo', owner_id: car.owner_id };
      assert.equal((await request(service, '/v1/cars', { json, token: grace })).status, 201);
      await page
        .getByRole('link', { name: /^Cars/ })
        .getByText(String(count + 1), { exact: true })
        .waitFor();
      await page.getByText('People with a passkey').waitFor();
    });

    await visit.test('updates a changed row in a list, and names the author', async () => {
      await goTo('Cars');
      const row = page.getByRole('row', { name: /AB 123/ });
      await row.waitFor();
      await change({ model: 'Changed by Grace' });
      await row.getByText('Changed by Grace', { exact: true }).waitFor();
      await row.getByText('Changed by grace@example.com').waitFor();
      assert.match((await row.getAttribute('class')) ?? '', /\bchanged\b/);
      await page.getByRole('status').getByText('grace@example.com changed').waitFor();
      assert.deepEqual(await seriousProblems(page), []);
    });

    await visit.test('updates the page of a row', async () => {
      await followed(() => page.getByRole('link', { name: 'AB 123' }).click());
      await change({ model: 'And again' });
      await page.getByText('And again', { exact: true }).waitFor();
      await page.getByText('Changed by grace@example.com just now.').waitFor();
    });

    await visit.test('warns in a form before it is saved', async () => {
      await followed(() => page.getByRole('link', { name: 'Edit' }).click());
      await page.getByRole('textbox', { name: 'Model' }).fill('Mine');
      await change({ seats: 7 });
      await page
        .getByRole('alert')
        .getByText(/grace@example.com changed this row while you were editing it: Seats\./)
        .waitFor();
      assert.equal(await page.getByRole('textbox', { name: 'Model' }).inputValue(), 'Mine');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Save my choices' }).click();
      await page.getByText('Car saved.').waitFor();
    });

    await visit.test('creates and tests a webhook, shows its deliveries and sends one again', async () => {
      const receiver = await startReceiver();
      await goTo('Webhooks');
      await page.getByRole('link', { name: 'Create' }).click();
      await page.getByRole('textbox', { name: /^URL/ }).fill(receiver.url);
      await page.getByRole('combobox', { name: 'Resources' }).click();
      await page.getByRole('option', { name: 'Cars', exact: true }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Copy it now' });
      assert.match(await dialog.getByRole('textbox').inputValue(), /^whsec_/);
      await dialog.getByRole('button', { name: 'I have copied it' }).click();
      await page.getByRole('button', { name: 'Send a ping' }).click();
      await receiver.until(1);
      for (const language of ['Python', 'Go', 'PHP', 'Node.js']) {
        await page.getByRole('tab', { name: language }).click();
        await page.getByRole('heading', { name: language }).waitFor();
      }
      assert.deepEqual(await seriousProblems(page), []);
      await change({ seats: 8 });
      await receiver.until(2);
      await page.reload();
      await page.getByRole('cell', { name: 'delivered' }).first().waitFor();
      await page.getByRole('button', { name: 'Send again', exact: true }).first().click();
      await receiver.until(3);
      await page.getByRole('row', { name: /ping/ }).getByRole('link').first().click();
      await page.getByRole('heading', { name: /^Delivery / }).waitFor();
      await page.getByText('204', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Send again' }).click();
      await receiver.until(4);
      assert.deepEqual(await seriousProblems(page), []);
    });

    await visit.test('shows two messages that arrive within one frame, one after the other', async () => {
      await page.goBack();
      await page.getByRole('heading', { name: /^Webhook / }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Send again', exact: true }).first().waitFor();
      // The second response arrives when the first message exists but is not shown yet. Effects wait for a frame, and
      // no frame comes.
      await page.evaluate(`{
        const ask = fetch;
        const answered = [];
        window.requestAnimationFrame = () => 0;
        window.fetch = async (...request) => {
          const answer = await ask(...request);
          if (request[1].method === 'POST') {
            await new Promise((next) => {
              if (answered.push(next) === 2) answered.forEach((each, i) => setTimeout(each, 10 * i));
            });
          }
          return answer;
        };
      }`);
      await page.getByRole('button', { name: 'Send a ping' }).click();
      await page.getByRole('button', { name: 'Send again', exact: true }).first().click();
      await Promise.all(
        ['The ping is on its way.', 'The delivery is sent again.'].map((text) => page.getByText(text).waitFor()),
      );
    });

    await visit.test('causes no errors in the browser', () => assert.deepEqual(complaints, []));
  });
});
