import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { addLogin, password } from '../harness/accounts.ts';
import { createTestDatabase, onBothEngines, type TestDatabase } from '../harness/engines.ts';
import { services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

onBothEngines("An operator's views", (engine) => {
  const start = services(engine);
  const databaseWith = async (files: Record<string, string>): Promise<TestDatabase> => {
    const database = await createTestDatabase(engine);
    mkdirSync(join(database.dir, 'views', 'assets'), { recursive: true });
    for (const [name, content] of Object.entries(files)) writeFileSync(join(database.dir, 'views', name), content);
    return database;
  };

  it('replace the login page under the name that login-page-url gives it', async () => {
    const form = '<form method="post">{% render "parts/csrf" %}<p>{{ problem }}</p>{{ values.login }}</form>';
    const database = await databaseWith({ 'enter.blade.php': `<!doctype html><title>Our door</title>${form}` });
    const service = await start({ database, env: { LOGIN_PAGE_URL: 'enter' } });
    const { email } = await addLogin(service);
    const visitor = new Visitor(service);
    assert.equal((await visitor.get('/settings')).location, '/enter?next=%2Fsettings');
    assert.equal((await visitor.get('/login?next=/settings/tokens')).location, '/enter?next=%2Fsettings%2Ftokens');
    assert.match((await visitor.get('/enter')).html, /<title>Our door<\/title>/);
    const wrong = await visitor.send('/enter', { login: '<b>me</b>', password: 'wrong' });
    assert.match(wrong.html, /is wrong\.<\/p>&lt;b&gt;me&lt;\/b&gt;/);
    assert.equal((await visitor.send('/enter', { login: email, password })).location, '/settings');
    await database.remove();
  });

  it('include their own files, and no files from outside the folder', async () => {
    const database = await databaseWith({ 'assets/own.css': 'body { color: teal }', 'secret.txt': 'secret' });
    const service = await start({ database });
    const visitor = new Visitor(service);
    const css = await visitor.get('/assets/own/own.css');
    assert.equal(css.html, 'body { color: teal }');
    assert.match(css.headers.get('content-type') ?? '', /^text\/css/);
    for (const path of ['..%2fsecret.txt', '%2e%2e/secret.txt', '..%5csecret.txt', 'none.css', '', '.hidden']) {
      const response = await visitor.get(`/assets/own/${path}`);
      assert.ok(response.status >= 400 && response.status < 500, `${path}: ${response.status}`);
      assert.doesNotMatch(response.html, /secret$/);
    }
    await database.remove();
  });

  it('stop the start if they contain PHP, and are never sent', async () => {
    const database = await databaseWith({ 'login.php': "<h1>Hi</h1>\n<?php include 'db.php'; ?>" });
    await assert.rejects(start({ database }), /login\.php: line 2 contains PHP code .* does not run PHP/s);
    await database.remove();
  });

  it('cannot use a path that is already taken', async () => {
    const database = await databaseWith({});
    for (const name of ['settings', 'v1/login', 'register', 'admin', 'docs', 'mcp', 'password/forgot', 'assets/x']) {
      await assert.rejects(
        start({ database, env: { LOGIN_PAGE_URL: name } }),
        /LOGIN_PAGE_URL: ".*Choose another name/,
      );
    }
    await database.remove();
  });
});
