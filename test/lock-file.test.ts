import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isNewEnough, requiredNode } from '../bin/required-node.mjs';

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const lockAt = (path: string) =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { packages: Record<string, LockedPackage> };
const lock = lockAt('../package-lock.json');
const namesOf = ({ packages }: typeof lock) =>
  new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));

for (const [whose, { packages }] of [
  ['the service', lock],
  ['the console', lockAt('../console/package-lock.json')],
  ['the bundler', lockAt('../scripts/bundler/package-lock.json')],
] as const)
  describe(`The lock file of ${whose}`, () => {
    it('names no registry, so that every mirror works', () => {
      const resolved = Object.values(packages).flatMap((each) => each.resolved ?? []);
      assert.deepEqual(
        resolved.filter((address) => address.startsWith('http')),
        [],
      );
    });

    // Without the hash, `npm ci` would accept any file that a mirror sends under the name.
    it('contains the hash of every package', () => {
      // A folder of this repository has no hash.
      const installed = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
      assert.deepEqual(
        installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
        [],
      );
    });

    // `npm ci` refuses a lock file without an optional package, even if the package is for another platform.
    it('contains the optional packages of every platform', () => {
      const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
        Object.keys(optionalDependencies),
      );
      const names = namesOf({ packages });
      assert.ok(wanted.length > 0);
      assert.deepEqual(
        wanted.filter((name) => !names.has(name)),
        [],
      );
    });
  });

describe('The other lock files', () => {
  for (const folder of ['./generators', './nodes', '../bench', '../bench/peers']) {
    const path = `${folder}/package-lock.json`;
    it(`${path} names no registry, and contains every hash`, () => {
      const locked = Object.entries(lockAt(path).packages).filter(([name]) => name !== '');
      assert.ok(locked.every(([, { resolved, integrity }]) => !resolved && integrity?.startsWith('sha512-')));
    });
  }

  it('contain the oldest Node that the package accepts', () => {
    const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    assert.deepEqual(engines, { node: `>=${requiredNode}` });
    const { packages } = lockAt('./nodes/package-lock.json');
    assert.equal(packages['node_modules/oldest-linux-x64']?.version, `${requiredNode}.0`);
    assert.deepEqual(
      ['20.19.0', '24.9.9', '24.10.0', '26.0.0'].map((version) => isNewEnough(version)),
      [false, false, true, true],
    );
  });

  it('contain Node for every common platform, with its hash', () => {
    const { packages: runtimes } = JSON.parse(
      readFileSync(new URL('../scripts/node/package-lock.json', import.meta.url), 'utf8'),
    ) as { packages: Record<string, { version?: string; integrity?: string }> };
    const versions = new Set<string | undefined>();
    for (const platform of ['linux-x64', 'linux-arm64', 'darwin-x64', 'bin-darwin-arm64', 'win-x64']) {
      assert.match(runtimes[`node_modules/node-${platform}`]?.integrity ?? '', /^sha512-/, platform);
      versions.add(runtimes[`node_modules/node-${platform}`]?.version);
    }
    assert.equal(versions.size, 1, 'every platform has the same version');
    assert.ok(
      ![...namesOf(lock)].some((name) => name?.startsWith('node-linux')),
      'the package itself contains no Node',
    );
  });
});
