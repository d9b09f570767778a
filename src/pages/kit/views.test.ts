import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { parseConfig } from '../../config/config.ts';
import { getLanguages } from '../../config/languages/languages.ts';
import { OperatorError } from '../../platform/errors.ts';
import { builtInViews, createViews } from './views.ts';

const created: string[] = [];

/** Views of a service whose ./views contains these files. */
function viewsWith(files: Record<string, string>, loginPageUrl = 'login') {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-views-'));
  created.push(dir);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, 'views', name)), { recursive: true });
    writeFileSync(join(dir, 'views', name), content);
  }
  const config = parseConfig({}, { LOGIN_PAGE_URL: loginPageUrl }, dir);
  return createViews(config, getLanguages(config));
}

const render = (views: ReturnType<typeof viewsWith>, name: string, variables = {}, globals = {}) =>
  views.render(name, variables, globals);

describe('Views', () => {
  after(() => {
    for (const dir of created) rmSync(dir, { recursive: true, force: true });
  });

  it('are the built-in ones if the operator has none', async () => {
    assert.match(await render(viewsWith({}), 'login', { title: 'Sign in' }), /<h1>Sign in<\/h1>/);
  });

  it('have different names in the folders of the core and of the extensions', () => {
    const names = builtInViews().flatMap((folder) => globSync('**/*.html', { cwd: folder }));
    assert.ok(names.includes('login.html') && names.includes('settings/profile.html'));
    assert.equal(new Set(names).size, names.length);
  });

  it('are searched as .html, then .php, then .blade.php', async () => {
    const blade = { 'login.blade.php': 'from blade' };
    const php = { ...blade, 'login.php': 'from php' };
    const html = { ...php, 'login.html': 'from html' };
    assert.equal(await render(viewsWith(blade), 'login'), 'from blade');
    assert.equal(await render(viewsWith(php), 'login'), 'from php');
    assert.equal(await render(viewsWith(html), 'login'), 'from html');
  });

  it('follow login-page-url to another name and folder, or fall back to the built-in page', async () => {
    const own = viewsWith({ 'account/sign-in.php': '<p>{{ title }}</p>' }, 'account/sign-in');
    assert.equal(await render(own, 'account/sign-in', { title: 'Hello' }), '<p>Hello</p>');
    assert.match(await render(viewsWith({}, 'welcome'), 'welcome', { title: 'Sign in' }), /<h1>Sign in<\/h1>/);
  });

  it('can replace a layout or a part of the built-in views', async () => {
    const views = viewsWith({
      'layout.html': '<body>{% block main %}{% endblock %}</body>',
      'parts/csrf.html': '<i>{{ csrf }}</i>',
    });
    const html = await render(views, 'email-confirm', {}, { csrf: 'abc' });
    assert.match(html, /^<body>/);
    assert.match(html, /<i>abc<\/i>/);
  });

  it('stop the start if they contain PHP or Blade code, and give the reason', () => {
    const foreign = [
      '<?php echo 1 ?>',
      '<?= $x ?>',
      '<? x ?>',
      '@if (true) x @endif',
      '  @csrf',
      "@extends('layouts.app')",
      '{!! $html !!}',
      '{{ $user->name }}',
      '{{$name}}',
      "{{ route('login') }}",
      '{{ Auth::user() }}',
      '{{-- note --}}',
    ];
    for (const extension of ['html', 'php', 'blade.php']) {
      for (const code of foreign) {
        const source = `<h1>Sign in</h1>\n${code}`;
        assert.throws(
          () => viewsWith({ [`login.${extension}`]: source }),
          (error) => {
            assert.ok(error instanceof OperatorError, code);
            assert.match(error.message, /login\.[\w.]+: line 2 contains .*(PHP|Blade).*does not run PHP/s);
            return true;
          },
          code,
        );
      }
    }
  });

  it('accept text that only resembles such code', async () => {
    const harmless = 'Write to me@if.example or @someone. {{ title }} 1 < 2 ?';
    assert.match(await render(viewsWith({ 'login.html': harmless }), 'login', { title: 'x' }), /me@if\.example/);
  });

  it('stop the start if they have a syntax error', () => {
    for (const source of ['{% if x %}', '{% nonsense %}', '{{ title | nonsense }}']) {
      assert.throws(() => viewsWith({ 'login.html': source }), /The view "login" could not be read/);
    }
  });

  it('escape every value', async () => {
    const views = viewsWith({ 'login.html': '<p title="{{ text }}">{{ text }}</p>' });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', 'a', '{{', '}}', '{%') }),
        async (text) => {
          const inside = (await render(views, 'login', { text })).slice('<p title="'.length, -'</p>'.length);
          assert.equal(inside.split('">').length, 2);
          assert.doesNotMatch(inside.replace('">', ''), /[<>"']/);
        },
      ),
    );
  });

  it('can reach nothing beyond their values', async () => {
    const views = viewsWith({ 'login.html': '[{{ text.constructor }}{{ constructor }}{{ values.__proto__ }}]' });
    assert.equal(await render(views, 'login', { text: 'x', values: {} }), '[]');
  });
});
