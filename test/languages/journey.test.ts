import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers, seriousProblems } from '../harness/browser.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { type Service, services } from '../harness/service.ts';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Takes screenshots if this variable contains a path. */
const shots = process.env.SCREENSHOTS;
const picture = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}-${name}.png`, fullPage: true });
};

const isTooWide = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth') as Promise<boolean>;

/** Words that are broken over two lines, except at a hyphen. */
const brokenWords = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('.brand, .scopes tbody th')].flatMap(({ lastChild }) =>
    [...lastChild.textContent.matchAll(/[^\\s-]+/g)].filter(({ 0: word, index }) => {
      const range = document.createRange();
      range.setStart(lastChild, index);
      range.setEnd(lastChild, index + word.length);
      return range.getClientRects().length > 1;
    }).map(([word]) => word))`) as Promise<string[]>;

describe('A user with a German browser', () => {
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  before(async () => {
    service = await start();
  });

  it('registers, reads the mail, and switches to French, on a small phone', async () => {
    const page = await (await open({ locale: 'de-DE', viewport: { width: 320, height: 700 } })).newPage();
    await page.goto(`${service.url}/register`);
    await page.getByLabel('E-Mail').fill('ada@example.com');
    await page.getByLabel('Passwort', { exact: true }).fill(password);
    assert.equal(await isTooWide(page), false);
    await picture(page, 'register-de');
    await button(page, 'Konto erstellen').click();
    await page.getByText('Willkommen.').waitFor();
    assert.equal(await isTooWide(page), false);
    assert.deepEqual(await seriousProblems(page), []);
    await picture(page, 'settings-de');
    const [mail] = await mailsTo(service, 'confirm-email', 'ada@example.com');
    assert.equal(mail?.subject, 'Bestätigen Sie Ihre E-Mail-Adresse');
    await page.locator('#locale').selectOption({ label: 'Français' });
    await button(page, 'Speichern').click();
    await page.getByText('Enregistré.').waitFor();
    for (const path of [
      '',
      '/password',
      '/sessions',
      '/tokens',
      '/tokens/new',
      '/connections',
      '/applications/sign-in/new',
    ]) {
      await page.goto(`${service.url}/settings${path}`);
      assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
      assert.equal(await isTooWide(page), false, path);
      assert.deepEqual(await brokenWords(page), [], path);
      await picture(page, `settings${path.replaceAll('/', '-')}-fr`);
    }
  });

  it('works in the console', async () => {
    const email = 'chief@example.com';
    await addLogin(service, { email, roles: ['admin'] });
    const page = await (await open({ locale: 'de-DE' })).newPage();
    await page.goto(`${service.url}/login`);
    await page.getByLabel('E-Mail').fill(email);
    await page.getByLabel('Passwort', { exact: true }).fill(password);
    await button(page, 'Anmelden').click();
    await page.waitForURL('**/settings');
    await page.goto(`${service.url}/admin`);
    await page.getByRole('menuitem', { name: 'Übersicht' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    await page.getByRole('menuitem', { name: 'Konten' }).click();
    await page.getByRole('link', { name: 'Erstellen' }).waitFor();
    await page.getByText('admin@example.com').first().waitFor();
    await picture(page, 'console-users-de');
    await page.getByRole('link', { name: 'Erstellen' }).click();
    await page.locator('input[name="email"]').fill(email);
    await page.locator('input[name="password"]').fill(password);
    await button(page, 'Erstellen').click();
    // The service's message is English. The console translates its code.
    await page.getByText('Jemand anderes hat diese E-Mail-Adresse.').first().waitFor();
    await page.goto(`${service.url}/admin`);
    await page.getByRole('heading', { name: 'Aktivität' }).waitFor();
    await picture(page, 'console-overview-de');
  });
});
