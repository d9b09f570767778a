import { say } from '../text/say.ts';

/** Signs in with the form of the login page, which the operator may have changed. Returns the reason if it is refused. */
export async function signInByPage(root: string, login: string, password: string): Promise<string | undefined> {
  const page = await fetch(`${root}/login`, { headers: { Accept: 'text/html' } });
  const form = documentOf(await page.text()).querySelector<HTMLFormElement>('form:has([name="password"])');
  // Without a form, the person has signed in in another tab, and the login page has redirected.
  if (!form) return undefined;
  const fields = new URLSearchParams();
  for (const { name, value } of form.querySelectorAll<HTMLInputElement>('input[type="hidden"]'))
    fields.set(name, value);
  fields.set('login', login);
  fields.set('password', password);
  const action = new URL(form.getAttribute('action') ?? page.url, page.url);
  const answer = await fetch(action, { method: 'POST', body: fields, redirect: 'manual' });
  if (answer.type === 'opaqueredirect' || answer.ok) return undefined;
  return (
    refusalIn(documentOf(await answer.text())) ??
    say('The login page answers with {status}.', { status: answer.status })
  );
}

const documentOf = (html: string): Document => new DOMParser().parseFromString(html, 'text/html');

function refusalIn(page: Document): string | undefined {
  const said = page.querySelector('[role="alert"], .error')?.textContent ?? '';
  return said.replace(/\s+/g, ' ').trim() || undefined;
}
