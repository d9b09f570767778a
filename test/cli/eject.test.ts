import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gatehouseHere } from '../harness/command-here.ts';
import { root } from '../harness/starts.ts';

describe('The command eject', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-eject-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  const eject = (...args: string[]) => gatehouseHere(['eject', ...args], dir, {});
  const read = (path: string) => readFileSync(join(dir, path), 'utf8');

  it('copies the named views, and does not overwrite existing files', async () => {
    const { code, stdout, stderr } = await eject('views', 'login', 'parts/field');
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'views/login.html is written.\nviews/parts/field.html is written.\n');
    assert.equal(read('views/login.html'), readFileSync(join(root, 'src/pages/views/login.html'), 'utf8'));
    writeFileSync(join(dir, 'views/login.html'), 'my own');
    const again = await eject('views', 'login');
    assert.deepEqual([again.code, again.stdout], [0, 'views/login.html already exists and was not changed.\n']);
    assert.equal(read('views/login.html'), 'my own');
  });

  it('copies a view of an extension to the path under which the service reads it', async () => {
    await eject('views', 'settings/profile');
    const folder = join(root, 'extensions/settings-pages/views');
    assert.equal(read('views/settings/profile.html'), readFileSync(join(folder, 'settings/profile.html'), 'utf8'));
  });

  it('copies both templates of a mail, or those of all mails', async () => {
    await eject('mails', 'confirm-email', 'new-login', 'webhook-disabled');
    assert.deepEqual(
      readdirSync(join(dir, 'views/mail')).sort(),
      ['confirm-email', 'new-login', 'webhook-disabled'].flatMap((name) => [`${name}.html`, `${name}.txt`]),
    );
    assert.equal((await eject('mails')).code, 0);
    assert.ok(existsSync(join(dir, 'views/mail/layout.html')) && !existsSync(join(dir, 'views/mail/notices')));
    assert.deepEqual((await eject('mails', '--list')).stdout.split('\n').slice(0, 2), [
      'confirm-email',
      'confirm-new-email',
    ]);
  });

  it('copies the messages of a language into one file that the service reads', async () => {
    assert.equal((await eject('messages', 'de')).code, 0);
    const messages = JSON.parse(read('languages/de.json'));
    assert.ok('login.title' in messages && 'Overview' in messages && 'ra.action.add' in messages);
    rmSync(join(dir, 'views'), { recursive: true });
    const { code, stderr } = await gatehouseHere(['check'], dir, {});
    assert.equal(code, 0, stderr);
  });

  it('suggests the nearest name for an unknown one', async () => {
    const wrong = await eject('veiws');
    assert.deepEqual(
      [
        wrong.code,
        /the kind "veiws" does not exist\. Did you mean "views"\? Expected one of: views/.test(wrong.stderr),
      ],
      [2, true],
    );
    const unknown = await eject('views', 'logn');
    assert.deepEqual(
      [unknown.code, /the name "logn" does not exist\. Did you mean "login"\? Expected one of: /.test(unknown.stderr)],
      [2, true],
    );
  });
});
