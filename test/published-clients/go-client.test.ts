import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { identityScopes } from '../../src/oauth/clients/scopes/scopes.ts';
import { addApplication } from '../harness/applications.ts';
import { services } from '../harness/service.ts';
import { root } from '../harness/starts.ts';
import { home, signInByProgram, signOut } from './sign-in-by-program.ts';

/** The paths of the Debian packages golang-golang-x-oauth2-dev and golang-github-coreos-go-oidc-dev. */
const packages = '/usr/share/gocode';
/** Of version 2, or of version 3. */
const paths = ['github.com/coreos/go-oidc', 'github.com/coreos/go-oidc/v3/oidc'];
const path = paths.find((one) => existsSync(join(packages, 'src', one, 'oidc.go')));
const isInstalled =
  path !== undefined && existsSync(join(packages, 'src/golang.org/x/oauth2')) && existsSync('/usr/bin/go');

describe("Go's x/oauth2 with go-oidc", { timeout: 300_000 }, () => {
  const start = services('sqlite');
  const skip = isInstalled
    ? false
    : 'not installed (on Debian: golang-go golang-golang-x-oauth2-dev golang-github-coreos-go-oidc-dev)';
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-go-'));
  after(() => rmSync(dir, { recursive: true }));

  it('signs in without PKCE, checks the ID token, refreshes, reads userinfo and signs out', { skip }, async () => {
    const source = readFileSync(new URL('go-client.go', import.meta.url), 'utf8');
    writeFileSync(join(dir, 'main.go'), source.replace(paths[0] as string, path as string));
    const GOCACHE = join(root, 'node_modules', '.cache', 'go-build');
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: packages, GOFLAGS: '', CGO_ENABLED: '0', GOCACHE };
    execFileSync('/usr/bin/go', ['build', '-o', join(dir, 'client'), join(dir, 'main.go')], { env, stdio: 'pipe' });

    const service = await start();
    const app = await addApplication(service, {
      ...{ trusted: true, scopes: identityScopes, post_logout_redirect_uris: [home] },
    });
    const signedIn = await signInByProgram(service, app, { command: join(dir, 'client') });
    const { claims, user } = signedIn.result;
    for (const one of [claims, user]) {
      assert.deepEqual([one.sub, one.name, one.email], [signedIn.id, 'Ada Lovelace', signedIn.email]);
    }
    await signOut(service, app, signedIn);
  });
});
