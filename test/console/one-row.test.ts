import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { seed } from '../../examples/fleet/seed.ts';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { type Service, services } from '../harness/service.ts';
import { drawn, openConsole } from './open-console.ts';

const fleet = join(import.meta.dirname, '../../examples/fleet');

describe('The console and one row', () => {
  const browser = browsers();
  const start = services('sqlite');
  let service: Service;
  let page: Page;
  let complaints: string[];
  let id: string;

  before(async () => {
    service = await start({ env: { RESOURCES_DIR: join(fleet, 'resources') } });
    await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    const token = await logIn(service, 'ada@example.com', password);
    await seed(service.url, token);
    const { body } = await request<{ data: { id: string }[] }>(service, '/v1/cars?search=plate:AB 123', { token });
    id = body.data[0]?.id as string;
    ({ page, complaints } = await openConsole(await browser(), service, 'ada@example.com', password));
    await page.goto(`${service.url}/admin/cars/${id}/show`);
  });

  test('shows and changes the row and its related rows', { timeout: 600_000 }, async (visit) => {
    await visit.test('requests the arguments of an action, with the keyboard only', async () => {
      await page.getByRole('button', { name: 'Park' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: /^Park: / });
      await dialog.getByRole('textbox', { name: 'Place' }).focus();
      await page.keyboard.press('Enter');
      await dialog.getByText('Required').waitFor();
      await page.keyboard.type('Deck 3');
      assert.deepEqual(await seriousProblems(page), []);
      await page.keyboard.press('Enter');
      await page.getByText('Done', { exact: true }).waitFor();
      await page.getByText('Deck 3').first().waitFor();
    });

    await visit.test('links and unlinks related rows in place', async () => {
      const drivers = page.locator('section', { has: page.getByRole('heading', { name: 'Drivers' }) });
      await drivers.getByRole('button', { name: 'Remove Mia Duran from here' }).click();
      await page.getByText('Driver removed from here.').waitFor();
      await drivers.getByRole('link', { name: 'Mia Duran' }).waitFor({ state: 'detached' });
      await drivers.getByRole('button', { name: 'Add driver' }).click();
      await page.getByRole('combobox', { name: 'Driver' }).fill('Zo');
      await page.getByRole('option', { name: /Zoë Ångström/ }).click();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await drivers.getByRole('link', { name: 'Zoë Ångström' }).waitFor();
      await page.getByText('Driver added.').waitFor({ state: 'detached' });
    });

    await visit.test('creates, changes and deletes related rows in place, with the keyboard only', async () => {
      await page.getByRole('link', { name: 'Ada Lovelace' }).first().click();
      const cars = page.locator('section', { has: page.getByRole('heading', { name: 'Cars' }) });
      await cars.getByRole('button', { name: 'New car' }).press('Enter');
      const making = page.getByRole('dialog', { name: 'New car' });
      assert.equal(
        await making.getByRole('combobox', { name: 'Owner' }).count(),
        0,
        'the owner is known, so there is no field for it',
      );
      await making.getByRole('textbox', { name: 'Plate' }).fill('IN 1');
      await making.getByRole('button', { name: 'Create' }).press('Enter');
      await making.getByText('Required').first().waitFor();
      // Escape discards no input.
      await page.keyboard.press('Escape');
      await making.getByRole('textbox', { name: 'Model' }).fill('Made here');
      assert.deepEqual(await seriousProblems(page), []);
      await page.keyboard.press('Enter');
      await making.waitFor({ state: 'detached' });
      await cars.getByRole('button', { name: 'Edit Made here (IN 1)' }).press('Enter');
      const changing = page.getByRole('dialog', { name: 'Edit car' });
      await changing.getByRole('textbox', { name: 'Model' }).waitFor();
      await drawn(page);
      await changing.getByRole('textbox', { name: 'Model' }).fill('Changed here');
      await page.keyboard.press('Enter');
      await changing.waitFor({ state: 'detached' });
      await cars.getByRole('button', { name: 'Delete Changed here (IN 1)' }).press('Enter');
      const removing = page.getByRole('dialog', { name: 'Delete car “Changed here (IN 1)”?' });
      await removing.getByRole('button', { name: 'Delete car', exact: true }).press('Enter');
      await page.getByText('Car deleted', { exact: true }).waitFor();
      await cars.getByRole('link', { name: 'Changed here (IN 1)' }).waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Owner Ada Lovelace' }).waitFor();
    });

    await visit.test('keeps the dialog of a related row when the window becomes narrow', async () => {
      const cars = page.locator('section', { has: page.getByRole('heading', { name: 'Cars' }) });
      await cars
        .getByRole('button', { name: /^Edit / })
        .first()
        .click();
      const dialog = page.getByRole('dialog', { name: 'Edit car' });
      await dialog.getByRole('textbox', { name: 'Model' }).waitFor();
      await drawn(page);
      await dialog.getByRole('textbox', { name: 'Model' }).fill('Typed before');
      await page.setViewportSize({ width: 600, height: 800 });
      await page.locator('section ul.rows').waitFor();
      assert.equal(await dialog.getByRole('textbox', { name: 'Model' }).inputValue(), 'Typed before');
      await page.setViewportSize({ width: 1280, height: 720 });
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    });

    await visit.test('shows all rows that refer to a person, even if the reference is not searchable', async () => {
      await page.getByRole('link', { name: 'Ada Lovelace' }).click();
      await page.getByRole('heading', { name: 'User Ada Lovelace' }).waitFor();
      await page.getByRole('button', { name: 'Copy id' }).waitFor();
      await page.getByRole('button', { name: 'API' }).waitFor();
      const owners = page.locator('section', { has: page.getByRole('heading', { name: 'Owners' }) });
      await owners.getByRole('link', { name: 'Ada Lovelace' }).click();
      await page.getByRole('heading', { name: 'Owner Ada Lovelace' }).waitFor();
      await page.goto(`${service.url}/admin/cars/${id}/show`);
    });

    await visit.test('shows its JSON, its history, and code that reads it', async () => {
      await page.getByRole('button', { name: 'API' }).click();
      const panel = page.getByRole('dialog', { name: 'For programs' });
      await panel.getByText(`curl '${service.url}/v1/cars/${id}'`).waitFor();
      await panel.getByText(`resource('cars').get('${id}')`).waitFor();
      await panel.getByRole('tab', { name: 'JSON' }).click();
      await panel.getByText('"plate": "AB 123"').waitFor();
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      const activity = page.locator('section', { has: page.getByRole('heading', { name: 'Activity' }) });
      await activity.getByText('ada@example.com changed the car').first().waitFor();
      await activity.getByText('Parked at: – → Deck 3').waitFor();
      assert.equal(await activity.getByText('AB 123').count(), 0, 'the page names the car once');
    });

    await visit.test('copies the id without a clipboard API', async () => {
      await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
      await page.getByRole('button', { name: 'Copy id' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
    });

    await visit.test('validates JSON while it is edited, and shows a hint for a wrong plate', async () => {
      await page.getByRole('link', { name: 'Edit' }).click();
      const json = page.getByRole('textbox', { name: 'Equipment' });
      await json.fill('{"seats": ["child",\n oops]}');
      await page.getByText('This is not JSON (yet): look at line 2').waitFor();
      await json.fill('{"seats":["child"]}');
      await page.getByRole('button', { name: 'Format JSON' }).click();
      assert.match(await json.inputValue(), /\n {2}"seats"/);
      await page.getByRole('textbox', { name: 'Plate' }).fill('lower case');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText(/does not have the right form: Capital letters/).waitFor();
      assert.equal(await page.getByText('[A-Z0-9]').count(), 0);
      await page.getByRole('textbox', { name: 'Plate' }).fill('AB 124');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Car saved.').waitFor();
    });

    await visit.test('marks the current session', async () => {
      await page.getByRole('menuitem', { name: 'Sessions & tokens' }).click();
      await page.getByText('this session').waitFor();
      assert.equal(await page.getByText('this session').count(), 1);
      assert.deepEqual(complaints, []);
    });
  });
});
