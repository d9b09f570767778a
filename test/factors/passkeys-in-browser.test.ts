import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { addLogin, password } from '../harness/accounts.ts';
import { browsers } from '../harness/browser.ts';
import { type Service, services } from '../harness/service.ts';

/** A free port: the address of the service must be known before it starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A virtual authenticator that always confirms. */
class VirtualAuthenticator {
  readonly #cdp: CDPSession;
  readonly #authenticatorId: string;

  private constructor(cdp: CDPSession, authenticatorId: string) {
    this.#cdp = cdp;
    this.#authenticatorId = authenticatorId;
  }

  static async addTo(page: Page): Promise<VirtualAuthenticator> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: false,
      },
    });
    return new VirtualAuthenticator(cdp, authenticatorId);
  }

  /** Whether it responds immediately, as if the user touched it. */
  async respond(enabled: boolean): Promise<void> {
    const authenticatorId = this.#authenticatorId;
    await this.#cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  /** The id of the next passkey that the browser deletes on request of a page. */
  forgotten(): Promise<string> {
    return new Promise((resolve) => {
      this.#cdp.once('WebAuthn.credentialDeleted', ({ credentialId }) => resolve(credentialId));
    });
  }

  async credentials() {
    const authenticatorId = this.#authenticatorId;
    return (await this.#cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  }
}

// One engine: the browser sees only HTTP, and passkeys.test.ts covers the SQL of both.
describe('Passkeys in a real browser', () => {
  const start = services('postgres');
  const open = browsers();
  let service: Service;
  let url: string;
  before(async () => {
    const port = await freePort();
    // Browsers bind passkeys to a host name, never to an IP address.
    url = `http://localhost:${port}`;
    service = await start({ env: { PORT: String(port), BASE_URL: url } });
  });

  async function signIn(page: Page, email: string): Promise<void> {
    await page.goto(`${url}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  async function signInByPassword(page: Page): Promise<string> {
    const { email } = await addLogin(service);
    await signIn(page, email);
    await page.waitForURL('**/settings');
    return email;
  }

  async function addPasskey(page: Page, device: VirtualAuthenticator): Promise<void> {
    await page.goto(`${url}/settings/security`);
    await device.respond(true);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    await device.respond(false);
  }

  /** Deletes the cookies, so that only the passkey remains. */
  const leave = (page: Page) => page.context().clearCookies();

  it('are created in the settings, sign in by the button, and stop working when they are removed', async () => {
    const page = await (await open()).newPage();
    // Without autofill, which would be faster than the button.
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    const device = await VirtualAuthenticator.addTo(page);
    const email = await signInByPassword(page);
    await addPasskey(page, device);
    const [made] = await device.credentials();
    assert.equal(made?.isResidentCredential, true);
    assert.equal(made?.rpId, 'localhost');
    await leave(page);
    await page.goto(`${url}/login?next=%2Fsettings%2Fsecurity`);
    await device.respond(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/settings/security');
    assert.ok((await page.content()).includes(email));
    assert.equal((await device.credentials())[0]?.signCount, 2);

    // The service signals the accepted passkeys, and the browser deletes the others.
    const forgotten = device.forgotten();
    await page.locator('details.confirm summary').click();
    await page.getByRole('button', { name: 'Remove' }).click();
    assert.equal(await forgotten, made?.credentialId);
    assert.deepEqual(await device.credentials(), []);
  });

  it('sign in by autofill, without the button', async () => {
    const page = await (await open()).newPage();
    const device = await VirtualAuthenticator.addTo(page);
    const email = await signInByPassword(page);
    await addPasskey(page, device);
    await leave(page);
    await device.respond(true);
    await page.goto(`${url}/login?next=%2Fsettings%2Fsecurity`, { waitUntil: 'commit' });
    await page.waitForURL('**/settings/security');
    assert.ok((await page.content()).includes(email));
  });

  it('are renamed, and renew a proof without a password', async () => {
    const page = await (await open()).newPage();
    const device = await VirtualAuthenticator.addTo(page);
    await signInByPassword(page);
    await addPasskey(page, device);
    await leave(page);
    await device.respond(true);
    await page.goto(`${url}/login?next=%2Fsettings%2Fsecurity`, { waitUntil: 'commit' });
    await page.waitForURL('**/settings/security');
    service.advance(901_000);
    await page.getByText('Rename').click();
    await page.getByLabel('Name').fill('My key');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/settings/security?done=*');
    await page.getByText('My key').first().waitFor();
    await page.getByRole('button', { name: 'recovery codes' }).click();
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  });

  it('replace the code after the password', async () => {
    const page = await (await open()).newPage();
    const device = await VirtualAuthenticator.addTo(page);
    const email = await signInByPassword(page);
    await addPasskey(page, device);
    await leave(page);
    await signIn(page, email);
    await page.getByRole('heading', { name: 'One more step' }).waitFor();
    await device.respond(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/settings');
  });

  it('are created automatically directly after a password login, and keep the password login', async () => {
    const page = await (await open()).newPage();
    const device = await VirtualAuthenticator.addTo(page);
    await device.respond(true);
    // Usually a password manager decides whether to create one. Here, the virtual authenticator creates it.
    await page.addInitScript(`
      const create = navigator.credentials.create.bind(navigator.credentials);
      PublicKeyCredential.getClientCapabilities = async () => ({ conditionalCreate: true });
      navigator.credentials.create = ({ mediation, ...options }) => {
        if (mediation !== 'conditional') throw new Error('only what the browser does by itself');
        return create(options);
      };
    `);
    const email = await signInByPassword(page);
    await page.waitForURL('**/settings/security*');
    const [made] = await device.credentials();
    assert.equal(made?.isResidentCredential, true);
    await leave(page);
    await device.respond(false);
    await signIn(page, email);
    await page.waitForURL('**/settings');
    assert.equal((await device.credentials()).length, 1, 'no second passkey');
  });

  it('sign in at one instance with a challenge of another', async () => {
    const other = await start({ database: service.database, env: { BASE_URL: url } });
    // Other tests move the clock of the first instance.
    other.advance(service.context.now() - other.context.now());
    const page = await (await open()).newPage();
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
    const device = await VirtualAuthenticator.addTo(page);
    const email = await signInByPassword(page);
    await addPasskey(page, device);
    await leave(page);
    let challenges = 0;
    await page.route('**/v1/passkey-challenges', async (route) => {
      challenges++;
      await route.fulfill({ response: await route.fetch({ url: `${other.url}/v1/passkey-challenges` }) });
    });
    await page.goto(`${url}/login?next=%2Fsettings%2Fsecurity`);
    await device.respond(true);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL('**/settings/security');
    assert.ok((await page.content()).includes(email));
    assert.equal(challenges, 1);
  });
});
