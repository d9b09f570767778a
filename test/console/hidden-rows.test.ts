import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers } from '../harness/browser.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { openConsole } from './open-console.ts';

const pets = `
import { anyOf, defineResource, owner, role, t } from 'gatehouse-server/resources';
export default defineResource({
  name: 'pets',
  fields: { name: t.text({ required: true }), user_id: t.reference('users', { default: ({ caller }) => caller.userId }) },
  access: { read: anyOf(role('vet'), owner('user_id')), write: 'auth:api' },
});
`;

describe('A list with rows that an access rule hides', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-pets-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const browser = browsers();
  const start = services('sqlite');

  test('shows a notice, and names the roles that see them', { timeout: 300_000 }, async () => {
    writeFileSync(join(dir, 'pets.ts'), pets);
    const service = await start({ env: { ROLES: 'admin,vet', RESOURCES_DIR: dir } });
    await addLogin(service, { email: 'vet@example.com', roles: ['vet'] });
    const token = await logIn(service, 'vet@example.com', password);
    assert.equal((await request(service, '/v1/pets', { token, json: { name: 'Rex' } })).status, 201);
    await addLogin(service, { email: 'ada@example.com', roles: ['admin'] });
    const { page } = await openConsole(await browser(), service, 'ada@example.com', password);
    await page.getByRole('menuitem', { name: 'Pets' }).click();
    await page.getByRole('heading', { name: 'No pets for you to see.' }).waitFor();
    const note = await page.getByRole('note').innerText();
    assert.equal(
      note,
      'An access rule shows you only some pets. Users with one of these roles see all of them: vet. Every other user sees some of them.',
    );
    assert.equal(await page.getByText('No pets yet.').count(), 0);
  });
});
