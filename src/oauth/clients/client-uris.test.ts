import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkRedirectUri, checkWebUri } from './client-uris.ts';

describe('Redirect URIs', () => {
  const good = [
    ...[
      'https://app.example',
      'https://app.example/',
      'https://app.example/callback?tenant=a%20b',
      'https://app.example:8443/a',
    ],
    ...[
      'http://localhost:3000/cb',
      'http://127.0.0.1/cb',
      'http://[::1]:8080/cb',
      'https://[2001:db8::1]/cb',
      'https://10.0.0.1/cb',
    ],
    ...['cursor://anysphere.cursor-mcp/oauth/callback', 'vscode://publisher.extension/callback'],
    ...['com.example.app:/callback', 'com.example.app://callback', 'https://xn--bcher-kva.example/cb'],
  ];
  for (const uri of good) it(`can be ${uri}`, () => assert.equal(checkRedirectUri(uri), undefined));

  const bad: [string, string][] = [
    ['https://app.example/cb#', 'fragment'],
    ['https://app.example/cb#frag', 'fragment'],
    ['https://user@app.example/cb', 'userinfo'],
    ['https://app.example@evil.example/cb', 'userinfo'],
    ['https://@app.example/cb', 'userinfo'],
    ['com.example.app://user@host/cb', 'userinfo'],
    ['https://*.app.example/cb', 'wildcard'],
    ['https://app.example/*', 'wildcard'],
    ['http://app.example/cb', 'insecure'],
    ['http://localhost.evil/cb', 'insecure'],
    ['http://localhost./cb', 'insecure'],
    ['http://127.0.0.1.nip.example/cb', 'insecure'],
    ['http://127.0.0.2/cb', 'insecure'],
    ['http://[::ffff:7f00:1]/cb', 'insecure'],
    ['http://[::ffff:127.0.0.1]/cb', 'normal_form'],
    ['http://2130706433/cb', 'normal_form'],
    ['http://0x7f.1/cb', 'normal_form'],
    ['http://localhost:80/cb', 'normal_form'],
    ['https://app.example:443/cb', 'normal_form'],
    ['https://app.example:99999/cb', 'format'],
    ['https://APP.example/cb', 'normal_form'],
    ['https:app.example/cb', 'normal_form'],
    ['https:///app.example/cb', 'normal_form'],
    ['https://app.example/a/../cb', 'normal_form'],
    ['https://app.example/a/%2e%2e/cb', 'normal_form'],
    ['https://app.example/a%2fcb', 'characters'],
    ['https://app.example/%5c%5cevil.example', 'characters'],
    ['https://app.example/cb?x=%0d%0aSet-Cookie:a', 'characters'],
    ['https://app.example%2f@evil.example/', 'userinfo'],
    ['https://app.example\\@evil.example/', 'characters'],
    ['https://app.example\\.evil.example/', 'characters'],
    ['https://app.example/\tcb', 'characters'],
    ['https://app.example/cb\r\nx', 'characters'],
    ['https://app.example/cb\u0000', 'characters'],
    [' https://app.example/cb', 'characters'],
    ['https://app\u3002example/cb', 'characters'],
    ['https://b\u00fccher.example/cb', 'characters'],
    ['https://app.example/"onload="', 'characters'],
    ['//app.example/cb', 'format'],
    ['/cb', 'format'],
    ['app.example/cb', 'format'],
    ['https://', 'format'],
    ['https://[::1', 'format'],
    ['javascript:alert(1)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['myapp:/callback', 'scheme'],
    ['cursor:/callback', 'scheme'],
    ['cursors://anysphere.cursor-mcp/oauth/callback', 'scheme'],
    ['ws://localhost/cb', 'scheme'],
    ['.a:/cb', 'format'],
    ['app.example:8080', 'scheme'],
    ['com.example.app:callback', 'scheme'],
    ['', 'characters'],
    [`https://app.example/${'a'.repeat(2000)}`, 'maxLength'],
  ];
  for (const [uri, code] of bad) {
    it(`cannot be ${JSON.stringify(uri.slice(0, 60))}`, () => assert.equal(checkRedirectUri(uri)?.code, code));
  }

  it('lead to the host that they show, for every combination of parts', () => {
    const piece = fc.constantFrom(
      ...[
        'https:',
        'http:',
        'com.example.app:',
        '//',
        '/',
        '\\',
        '@',
        '#',
        '?',
        '%2f',
        '%5c',
        '%00',
        '..',
        '*',
        ':',
        ':80',
      ],
      ...[
        'localhost',
        '127.0.0.1',
        '[::1]',
        'evil.example',
        '.evil',
        'app.example',
        ' ',
        '\t',
        '\n',
        '\u202e',
        'a',
        '0x7f.1',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const uri = pieces.join('');
        if (checkRedirectUri(uri)) return;
        const { protocol, hostname, username, password, hash, href } = new URL(uri);
        assert.ok(href === uri || href === `${uri}/`, uri);
        assert.equal(username + password + hash, '', uri);
        // The host between the slashes is the host that a browser calls.
        if (/^[a-z0-9]+\./.test(protocol)) return assert.match(uri, /^[a-z0-9.]+:\//);
        assert.equal(/^[a-z]+:\/\/(\[[^\]]*\]|[^/?:]*)/.exec(uri)?.[1], hostname, uri);
        if (protocol === 'http:') assert.match(hostname, /^(localhost|127\.0\.0\.1|\[::1\])$/);
        else assert.equal(protocol, 'https:', uri);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('URIs of pages and pictures', () => {
  it('must use https, or http to the developer’s own machine', () => {
    assert.equal(checkWebUri('https://app.example/logo.png'), undefined);
    assert.equal(checkWebUri('http://localhost:3000/out', { allowLoopback: true }), undefined);
    for (const uri of ['http://localhost/', 'http://app.example/', 'com.example.app:/logo', 'data:image/png,x']) {
      assert.equal(checkWebUri(uri)?.code, 'insecure', uri);
    }
    assert.equal(checkWebUri('http://app.example/', { allowLoopback: true })?.code, 'insecure');
  });
});
