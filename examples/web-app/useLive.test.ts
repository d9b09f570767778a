import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { browsers } from '../../test/harness/browser.ts';
import { services } from '../../test/harness/service.ts';
import { logIn, seed } from '../fleet/seed.ts';
import { serveWebApp } from './serve-web-app.ts';

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** An application of React, as a bundler makes it. `leave` takes it off the page. */
const entry = `
import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createGatehouse } from 'gatehouse-server/client';
import { useLive } from '${fileOf('useLive.ts')}';

function Cars({ gatehouse }) {
  const { rows, error } = useLive(gatehouse, 'cars', { orderBy: 'plate' });
  if (error) return error.message;
  return createElement('ul', null, rows?.map(({ id, plate }) => createElement('li', { key: id }, plate)));
}

globalThis.show = (options) => {
  const root = createRoot(document.body);
  root.render(createElement(StrictMode, null, createElement(Cars, { gatehouse: createGatehouse(options) })));
  globalThis.leave = () => root.unmount();
};`;

async function bundle(): Promise<string> {
  const made = await rolldown({
    input: 'entry',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? fileOf('entry.js') : undefined),
        load: (id) => (id === fileOf('entry.js') ? entry : undefined),
      },
    ],
    resolve: { conditionNames: ['gatehouse-source', 'import', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await made.generate({ format: 'iife' });
  await made.close();
  return output[0].code;
}

describe('The hook for React', () => {
  const start = services('sqlite');
  const browser = browsers();

  it('shows a list, follows its changes, and lets go when the component leaves', async (test) => {
    const app = await serveWebApp(0);
    test.after(() => app.stop());
    const service = await start({ env: { RESOURCES_DIR: fileOf('../fleet/resources'), CORS_ORIGINS: app.origin } });
    const accessToken = await logIn(service.url, 'admin@example.com', 'correct horse battery');
    await seed(service.url, accessToken);
    const streams = async () =>
      /^gatehouse_change_streams (\d+)$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[1];

    const page = await (await browser()).newPage();
    await page.goto(`${app.origin}/style.css`);
    await page.addScriptTag({ content: await bundle() });
    await page.evaluate(`show(${JSON.stringify({ baseUrl: service.url, accessToken })})`);
    await page.getByRole('listitem').nth(3).waitFor();
    const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` };
    const cars = async () => {
      const response = await fetch(`${service.url}/v1/cars?orderBy=plate`, { headers });
      return ((await response.json()) as { data: { id: string; plate: string; owner_id: string }[] }).data;
    };
    const [first] = await cars();
    const body = JSON.stringify({ plate: 'AA 1', model: 'Fiat Tipo', owner_id: first?.owner_id });
    const json = { ...headers, 'content-type': 'application/json' };
    assert.equal((await fetch(`${service.url}/v1/cars`, { method: 'POST', headers: json, body })).status, 201);
    await page.getByRole('listitem').first().filter({ hasText: 'AA 1' }).waitFor();
    const shown = await page.getByRole('listitem').allInnerTexts();
    assert.deepEqual(
      shown,
      (await cars()).map(({ plate }) => plate),
    );
    assert.equal(await streams(), '1', 'what strict mode opened twice is closed once');
    await page.evaluate('leave()');
    while ((await streams()) !== '0') await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('is the one that the page of the client shows', () => {
    const text = readFileSync(fileOf('useLive.ts'), 'utf8');
    const body = text.slice(text.indexOf('  const [rows'));
    assert.ok(readFileSync(fileOf('../../client/README.md'), 'utf8').includes(body));
  });
});
