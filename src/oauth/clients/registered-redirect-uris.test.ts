import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRegisteredRedirectUri } from './client-uris.ts';

const registered = [
  'https://app.example/callback',
  'https://app.example/callback?from=gatehouse',
  'com.example.app:/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:3000/callback',
  'http://localhost:4000/callback',
];

describe('Redirect URIs', () => {
  it('are compared literally', () => {
    for (const uri of registered) assert.ok(isRegisteredRedirectUri(registered, uri), uri);
    for (const uri of [
      '',
      'https://app.example/',
      'https://app.example/callback/',
      'https://app.example/Callback',
      'https://APP.example/callback',
      'https://app.example:443/callback',
      'http://app.example/callback',
      'https://app.example/callback?',
      'https://app.example/callback?from=gatehouse&x=1',
      'https://app.example/callback#',
      'https://app.example/callback#/evil',
      'https://app.example/callback/../evil',
      'https://app.example/%63allback',
      'https://app.example%2fcallback',
      'https://app.example\\callback',
      'https://app.example@evil.example/callback',
      'https://user@app.example/callback',
      'https://app.example.evil.example/callback',
      '//app.example/callback',
      'com.example.app:/callback2',
      'com.example.app://callback',
      'javascript:alert(1)',
      'https://app.example/callback\r\nX: y',
      ' https://app.example/callback',
    ]) {
      assert.ok(!isRegisteredRedirectUri(registered, uri), uri);
    }
  });

  it('of a loopback address may differ only in the port', () => {
    for (const uri of [
      'http://127.0.0.1:51004/callback',
      'http://127.0.0.1:0/callback',
      'http://[::1]:51004/callback',
      'http://[::1]/callback',
    ]) {
      assert.ok(isRegisteredRedirectUri(registered, uri), uri);
    }
    for (const uri of [
      'http://127.0.0.1:65536/callback',
      'http://127.0.0.1:/callback',
      'http://127.0.0.1:1/callback/',
      'http://127.0.0.1:1/callback?x=1',
      'http://127.0.0.1:1@evil.example/callback',
      'http://127.0.0.1:1\\@evil.example/callback',
      'http://127.0.0.1.evil.example/callback',
      'http://127.0.0.1:80.evil.example/callback',
      'http://127.0.0.2:1/callback',
      'http://127.1:1/callback',
      'http://2130706433:1/callback',
      'http://0x7f.0.0.1:1/callback',
      'https://127.0.0.1:1/callback',
      'http://[::ffff:127.0.0.1]:1/callback',
      'http://[0:0:0:0:0:0:0:1]:1/callback',
      'http://localhost:1/callback',
      'http://localhost.evil.example:4000/callback',
    ]) {
      assert.ok(!isRegisteredRedirectUri(registered, uri), uri);
    }
  });
});
