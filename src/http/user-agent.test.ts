import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { describeUserAgent } from './user-agent.ts';

describe('describeUserAgent', () => {
  it('names the browser and the system', () => {
    const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit';
    const known = new Map([
      [
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
        'Chrome on Linux',
      ],
      ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
      [`${mac}/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`, 'Safari on macOS'],
      [`${mac}/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge on macOS'],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/140.0 Mobile Safari/604.1',
        'Chrome on iPhone',
      ],
      ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
      ['curl/8.5.0', 'curl'],
      ['backup-script/1.2 (+https://example.com)', 'backup-script'],
    ]);
    for (const [userAgent, device] of known) assert.equal(describeUserAgent(userAgent), device);
    assert.equal(describeUserAgent(null), 'Unknown device');
    assert.equal(describeUserAgent('/'), 'Unknown device');
  });

  it('returns a short text for any input', () => {
    fc.assert(
      fc.property(fc.string(), (userAgent) => {
        const device = describeUserAgent(userAgent);
        assert.ok(device.length > 0 && device.length <= 40);
      }),
    );
  });
});
