/** The first rows of the example, sent over HTTP as any client would. */
interface Row {
  readonly id: string;
}

const password = 'fleet-example-user';

const owners = [
  { name: 'Ada Lovelace', city: 'London', login: 'ada@fleet.example' },
  { name: 'Grace Hopper', city: 'New York', login: 'grace@fleet.example' },
];
const drivers = [
  { name: 'Max Verne', licence: 'L-0001', licensed_until: '2031-05-31' },
  { name: 'Mia Duran', licence: 'L-0002', licensed_until: '2029-11-30' },
  { name: 'Zoë Ångström', licence: 'L-0003' },
];
const cars = [
  { plate: 'AB 123', model: 'Fiat Panda', seats: 4, price_per_day: 29.5, tags: ['city'], owner: 0, driven: [0, 1] },
  { plate: 'CD 456', model: 'Fiat Ducato', kind: 'van', seats: 3, price_per_day: 75, owner: 0, driven: [1] },
  {
    plate: 'EF 789',
    model: 'Renault Zoe',
    electric: true,
    price_per_day: 42,
    tags: ['city', 'quiet'],
    owner: 1,
    driven: [2],
  },
  { plate: 'GH 12', model: 'MAN TGX', kind: 'truck', seats: 2, first_registered: '2021-03-15', owner: 1, driven: [0] },
];

/** Logs in through the proxy of the web admin client, as a browser application does. */
export async function logIn(url: string, email: string, secret: string = password): Promise<string> {
  const response = await fetch(`${url}/v1/clients/web/admin/login`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: secret }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error(`${email} could not log in: status ${response.status}`);
  return token;
}

/** Calls the API as an application with a token does. */
export async function send(url: string, token: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}/v1/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: unknown }).data;
}

/** Creates the first rows if there are none. Returns whether it did. */
export async function seed(url: string, adminToken: string): Promise<boolean> {
  const make = async (path: string, body: object) => (await send(url, adminToken, path, body)) as Row;
  if (((await send(url, adminToken, 'owners?limit=1')) as Row[]).length > 0) return false;
  const ownerIds: string[] = [];
  for (const { login, ...owner } of owners) {
    const user = await make('users', { email: login, password, name: owner.name });
    ownerIds.push((await make('owners', { ...owner, user_id: user.id })).id);
  }
  const driverIds: string[] = [];
  for (const driver of drivers) driverIds.push((await make('drivers', driver)).id);
  for (const { owner, driven, ...car } of cars) {
    const { id } = await make(`owners/${ownerIds[owner]}/cars`, car);
    for (const driver of driven) await make('assignments', { car_id: id, driver_id: driverIds[driver] });
  }
  return true;
}
