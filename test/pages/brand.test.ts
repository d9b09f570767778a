import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { openConsole } from '../console/open-console.ts';
import { browsers, seriousProblems, styleOf } from '../harness/browser.ts';
import { databases } from '../harness/engines.ts';
import { mailsTo } from '../harness/mailbox.ts';
import { registerUser } from '../harness/people.ts';
import { type Service, services } from '../harness/service.ts';

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 1"><rect width="4" height="1" fill="#f2c200"/></svg>';

describe('The brand', () => {
  const create = databases('sqlite');
  const start = services('sqlite');
  const open = browsers();
  let service: Service;
  before(async () => {
    const database = await create();
    writeFileSync(join(database.dir, 'logo.svg'), logo);
    const env = { BRAND_NAME: 'Acme & <Sons>', BRAND_LOGO: 'logo.svg', BRAND_COLOR: '#f2c200' };
    service = await start({ database, env });
  });

  it('shows pages with name, logo and colour, readable in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await (await open({ colorScheme })).newPage();
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${service.url}/login`);
      assert.match(await page.title(), /Acme & <Sons>$/);
      const shown = await page.locator('.brand img').evaluate((img: { naturalWidth: number }) => img.naturalWidth);
      assert.ok(shown > 0, 'the logo is shown');
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      const { backgroundColor, color } = await styleOf(button);
      assert.deepEqual(
        [backgroundColor, color],
        ['rgb(242, 194, 0)', 'rgb(0, 0, 0)'],
        'the colour is unchanged, with black text on it',
      );
      assert.deepEqual(await seriousProblems(page), []);
      assert.deepEqual(complaints, []);
    }
  });

  it('shows in the console', async () => {
    const { page, complaints } = await openConsole(await open(), service, 'admin@example.com', 'correct horse battery');
    assert.match(await page.title(), /Acme & <Sons>/);
    const shown = await page.locator('header img').evaluate((img: { naturalWidth: number }) => img.naturalWidth);
    assert.ok(shown > 0, 'the logo is shown');
    assert.deepEqual(complaints, []);
  });

  it('is in mail, which has the absolute address of the logo', async () => {
    const { email } = await registerUser(service);
    const [mail] = await mailsTo(service, 'confirm-email', email);
    assert.match(mail?.html ?? '', /Acme &amp; &lt;Sons&gt;/);
    assert.match(mail?.html ?? '', new RegExp(`<img src="${service.url}/assets/logo"`));
    assert.match(mail?.html ?? '', /background-color: #f2c200; color: #000000/);
  });

  it('serves an SVG that cannot run scripts', async () => {
    const response = await fetch(`${service.url}/assets/logo`);
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/svg+xml']);
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });

  it('allows a logo from another origin, and nothing else', async () => {
    const elsewhere = await start({ env: { BRAND_LOGO: 'https://cdn.example.com/a/logo.png' } });
    const page = await fetch(`${elsewhere.url}/login`);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /img-src 'self' data: https:\/\/cdn\.example\.com;/,
    );
    assert.match(await page.text(), /<img src="https:\/\/cdn\.example\.com\/a\/logo\.png"/);
  });

  it('stops a start if the logo is missing or not an image', async () => {
    for (const BRAND_LOGO of ['absent.svg', 'gatehouse.config.ts']) {
      await assert.rejects(start({ env: { BRAND_LOGO } }), /^OperatorError: BRAND_LOGO: |BRAND_LOGO: /);
    }
  });
});
