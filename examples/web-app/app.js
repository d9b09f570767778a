import { createGatehouse } from 'gatehouse-server/client';

const { baseUrl, clientId } = await (await fetch('/settings.json')).json();

const gatehouse = createGatehouse({
  baseUrl,
  application: {
    clientId,
    redirectUri: `${location.origin}/`,
    scope: 'openid profile offline_access cars:read',
  },
  onSignedOut: () => show('Your session is over.'),
});

const element = (id) => document.getElementById(id);

/** Shows a sentence, and the cars if the user is signed in. */
function show(status, cars) {
  element('status').textContent = status;
  element('sign-in').hidden = cars !== undefined;
  element('sign-out').hidden = cars === undefined;
  element('cars').hidden = cars === undefined;
  element('cars').replaceChildren(
    ...(cars ?? []).map(({ plate, model }) =>
      Object.assign(document.createElement('li'), { textContent: `${plate}, ${model}` }),
    ),
  );
}

element('sign-in').addEventListener('click', () => gatehouse.signIn());
const leaving = new AbortController();
element('sign-out').addEventListener('click', async () => {
  leaving.abort();
  await gatehouse.logout();
  show('You are signed out.');
});

try {
  // After the return from the service, this reads the authorization response from the URL.
  if (await gatehouse.resume()) {
    const { body: person } = await gatehouse.call({ method: 'GET', path: '/oauth/userinfo' });
    // The list, and again after each change of a car.
    const lists = gatehouse.resource('cars').live({ orderBy: 'plate' }, { signal: leaving.signal });
    for await (const cars of lists) show(`Hello, ${person.name}. These are the cars.`, cars);
  } else {
    show('Sign in to see the cars.');
  }
} catch (error) {
  if (!leaving.signal.aborted) show(error.code === 'access_denied' ? 'You denied access.' : error.message);
}
