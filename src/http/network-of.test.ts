import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkOf, widerNetworkOf } from './network-of.ts';

describe('The network of an address', () => {
  it('is the /64 of an IPv6 address in any spelling', () => {
    assert.equal(networkOf('2001:db8:1:2:aaaa::1'), '2001:db8:1:2::/64');
    assert.equal(networkOf('2001:DB8:1:2:bbbb:0:0:1'), '2001:db8:1:2::/64');
    assert.equal(networkOf('2001:0db8::1'), '2001:db8:0:0::/64');
    assert.equal(networkOf('2001:db8::2:3:4:5:6'), '2001:db8:0:2::/64');
    assert.equal(networkOf('::1'), '0:0:0:0::/64');
    assert.equal(networkOf('::'), '0:0:0:0::/64');
    assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64');
    assert.equal(networkOf('64:ff9b::10.0.0.1'), '64:ff9b:0:0::/64');
  });

  it('is the address itself for IPv4, even in IPv6 notation', () => {
    assert.equal(networkOf('10.0.0.1'), '10.0.0.1');
    assert.equal(networkOf('::ffff:10.0.0.1'), '10.0.0.1');
    assert.equal(networkOf('::FFFF:a00:1'), '10.0.0.1');
    assert.equal(networkOf('0:0:0:0:0:ffff:a00:1'), '10.0.0.1');
    assert.equal(widerNetworkOf('::ffff:10.0.0.1'), '10.0.0.1');
    assert.equal(widerNetworkOf('10.0.0.1'), '10.0.0.1');
  });

  it('has a /48 around it', () => {
    assert.equal(widerNetworkOf('2001:db8:1:2:aaaa::1'), '2001:db8:1::/48');
    assert.equal(widerNetworkOf('2001:db8:1:3::1'), '2001:db8:1::/48');
  });

  it('is the text itself if the text is not an address', () => {
    for (const text of ['unknown', '', ':', '1:2', '2001:db8:::1']) assert.equal(networkOf(text), text);
  });
});
