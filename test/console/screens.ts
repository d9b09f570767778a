import type { Page } from 'playwright-core';
import { request } from '../harness/request.ts';
import type { Service } from '../harness/service.ts';

/** The rows and ids that the screens show. */
export interface ScreenData {
  readonly url: string;
  readonly car: string;
  readonly owner: string;
  readonly person: string;
  readonly client: string;
  /** Changes the car while it is being edited. */
  change(): Promise<void>;
}

/** One screen of the console: the way to it, and an element that shows that it is open. */
export interface Screen {
  readonly name: string;
  open(page: Page, data: ScreenData): Promise<void>;
  /** Closes the screen. The default is Escape. */
  leave?(page: Page): Promise<void>;
}

/** A user with a token, a client and a consent, and a client of that user. */
export async function createScreenData(service: Service, token: string): Promise<ScreenData> {
  const first = async (path: string) =>
    (await request<{ data: { id: string; user_id: string }[] }>(service, path, { token })).body.data[0];
  const owner = await first('/v1/owners?search=name:Ada Lovelace');
  const car = (await first('/v1/cars?search=plate:AB 123'))?.id as string;
  const person = owner?.user_id as string;
  const json = { name: 'Fleet watch', type: 'personal', user_id: person };
  const made = await request<{ data: { id: string } }>(service, '/v1/clients', { json, token });
  const client = made.body.data.id;
  const { db } = service.context.database;
  const times = { created_at: service.context.now(), updated_at: service.context.now() };
  const scopes = JSON.stringify(['openid', 'profile']);
  const consent = { id: person, user_id: person, client_id: client, scopes, asked: scopes, ...times };
  await db.insertInto('consents').values(consent).execute();
  let seats = 10;
  const change = async () => {
    await request(service, `/v1/cars/${car}`, {
      method: 'PATCH',
      json: { seats: ++seats, model: `Panda ${seats}` },
      token,
    });
  };
  return { url: service.url, car, owner: owner?.id as string, person, client, change };
}

const at = (name: string, path: (data: ScreenData) => string, heading: string | RegExp): Screen => ({
  name,
  async open(page, data) {
    await goTo(page, data, path(data));
    await page.getByRole('heading', { name: heading }).first().waitFor();
    await quiet(page);
  },
});

/** A dialog that a button opens. `link`: appears later, when its rows have been counted. */
const over = (name: string, base: Screen, button: string, dialog: string | RegExp, link?: RegExp): Screen => ({
  name,
  async open(page, data) {
    await base.open(page, data);
    await page.getByRole('button', { name: button, exact: true }).first().click();
    const opened = page.getByRole('dialog', { name: dialog });
    await opened.waitFor();
    if (link) await opened.getByRole('link', { name: link }).first().waitFor();
  },
});

/** A dialog that an item in the list's menu opens. */
const fromMenu = (name: string, base: Screen, item: string, dialog: string): Screen => ({
  name,
  async open(page, data) {
    await base.open(page, data);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('dialog', { name: dialog }).waitFor();
  },
});

/** Navigates like a link, without loading the console again. A page with unsaved changes would ask first. */
async function goTo(page: Page, { url }: ScreenData, path: string): Promise<void> {
  if (!page.url().startsWith(`${url}/admin`)) await page.goto(`${url}/admin`);
  await page.evaluate(
    `history.pushState({}, '', '/admin${path}'); dispatchEvent(new PopStateEvent('popstate', { state: {} }))`,
  );
}

/** Waits until no request is running. */
async function quiet(page: Page): Promise<void> {
  const waiting = page.locator('[role="progressbar"], .MuiSkeleton-root');
  while ((await waiting.count()) > 0) await waiting.first().waitFor({ state: 'detached' });
}

const cars = at('list', () => '/cars?filter={}&displayedFilters={}', 'Cars');
const car = at('row', ({ car: id }) => `/cars/${id}/show`, /^Car /);
const owner = at('row with rows of its own', ({ owner: id }) => `/owners/${id}/show`, /^Owner /);
const edit = at('edit', ({ car: id }) => `/cars/${id}`, /^Edit /);
const users = at('people', () => '/users', 'Users');
const person = at('person', ({ person: id }) => `/users/${id}/show`, /^User /);
const client = at('client', ({ client: id }) => `/clients/${id}/show`, /^Client /);

const selected = (name: string, button: string, dialog: RegExp): Screen => ({
  name,
  async open(page, data) {
    await cars.open(page, data);
    await page
      .getByRole('checkbox', { name: /^Select / })
      .nth(0)
      .check();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: button }).click();
    await page.getByRole('dialog', { name: dialog }).waitFor();
  },
});

const palette: Screen = {
  name: 'palette',
  async open(page, data) {
    await cars.open(page, data);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('ada');
    await page
      .getByRole('option', { name: /Ada Lovelace/ })
      .first()
      .waitFor();
  },
};

const conflict: Screen = {
  name: 'conflict',
  async open(page, data) {
    await edit.open(page, data);
    await page.getByRole('textbox', { name: 'Model' }).fill('Mine');
    await data.change();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog', { name: /Somebody else changed/ }).waitFor();
  },
  leave: (page) => page.getByRole('button', { name: 'Take all of theirs' }).click(),
};

const secret: Screen = {
  name: 'secret',
  async open(page, data) {
    await client.open(page, data);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /secret/i })
      .last()
      .click();
    await page.getByRole('dialog', { name: 'Copy it now' }).waitFor();
  },
  leave: (page) => page.getByRole('button', { name: 'I have copied it' }).click(),
};

const away: Screen = {
  name: 'server away',
  async open(page, data) {
    await users.open(page, data);
    const calls = (url: URL) => url.pathname.startsWith('/v1/');
    await page.route(calls, (route) => route.abort());
    await page.getByRole('menuitem', { name: 'Drivers' }).or(page.getByLabel('Open menu')).first().click();
    await page.getByRole('menuitem', { name: 'Drivers' }).click();
    await page.getByRole('heading', { name: 'The service is not answering' }).waitFor();
    await page.unroute(calls);
  },
};

/** Every kind of screen, each opened separately. */
export const screens: readonly Screen[] = [
  at('overview', () => '/', 'Overview'),
  cars,
  at('list, nothing found', () => `/cars?filter=${encodeURIComponent('{"model":"nothing"}')}`, 'Cars'),
  at('list, empty', () => '/mcp-calls', 'AI applications'),
  car,
  owner,
  edit,
  at('create', () => '/cars/create', 'New car'),
  users,
  person,
  at('person, edit', ({ person: id }) => `/users/${id}`, /^Edit /),
  at('clients', () => '/clients', 'Clients'),
  client,
  at('client, create', () => '/clients/create', 'New client'),
  at('sessions', () => '/tokens', 'Sessions & tokens'),
  at('consents', () => '/consents', 'Consents'),
  at('events', () => '/events', 'Events'),
  at('queue', () => '/queued-jobs', 'Queue'),
  at('webhooks', () => '/webhooks', 'Webhooks'),
  at('webhook, create', () => '/webhooks/create', 'New webhook'),
  at('roles', () => '/roles', 'Roles'),
  at('not found', () => '/nowhere', 'Page not found'),
  at('row that is gone', () => '/cars/0199d0a0-7c00-7000-8000-000000000000/show', /./),
  palette,
  selected('bulk change', 'Change', /^Change \d cars?/),
  selected('bulk delete', 'Delete', /^Delete \d cars?/),
  fromMenu('import', cars, 'Import', 'Import cars'),
  fromMenu('export', cars, 'Export', 'Export cars'),
  over('invite', users, 'Invite', /Invite/),
  over('for programs', car, 'API', 'For programs'),
  over('action', car, 'Park', /^Park: /),
  over('delete', car, 'Delete', /^Delete car/),
  over('row in place', owner, 'New car', 'New car'),
  over('delete a person', person, 'Delete', /^Delete user/, /^\d/),
  over('roles of a person', person, 'Roles', /./),
  conflict,
  secret,
  away,
];
