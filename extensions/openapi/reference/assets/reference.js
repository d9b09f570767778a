// Sends the requests of the API reference with the reader's session. The reference can be read without this script.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const { root } = document.body.dataset;
const tokenAnswers = /\/(login|refresh|oauth\/token)$/;
const exampleId = /^0199d0a0-7c00-7000-8000-0000000000/;

let session; // { access_token, name, until }
/** Stored for the tab, so that it stays on all pages of the reference. */
let ownToken = sessionStorage.getItem('token') ?? '';

function useOwnToken(token) {
  ownToken = token;
  if (token) sessionStorage.setItem('token', token);
  else sessionStorage.removeItem('token');
  rows.clear();
  showSession();
}

/** The token of the reader's session, if there is one. It is kept only in this page. */
async function openSession() {
  const response = await fetch(`${root}/docs/token`, { method: 'POST', headers: { Accept: 'application/json' } });
  const found = response.status === 200 ? await response.json() : undefined;
  session = found && { ...found, until: Date.now() + (found.expires_in - 30) * 1000 };
  showSession();
}

async function currentToken() {
  if (ownToken) return ownToken;
  if (session?.until && Date.now() > session.until) await openSession();
  return session?.access_token;
}

function showSession() {
  const box = document.querySelector('[data-session]');
  const who = box.querySelector('[data-who]');
  box.hidden = false;
  if (ownToken) return who.replaceChildren('Requests are sent with the token that you gave.');
  if (session) {
    const name = Object.assign(document.createElement('strong'), { textContent: session.name });
    return who.replaceChildren('Requests are sent as ', name, '.');
  }
  const link = Object.assign(document.createElement('a'), { href: box.dataset.login, textContent: 'Sign in' });
  return who.replaceChildren(link, ' to send requests as yourself, or send a login from here.');
}

/** The request of the form. Undefined if its body is not JSON. */
function read(form) {
  const { method, path } = form.dataset;
  const query = new URLSearchParams();
  let filled = path;
  for (const field of all('[data-in]', form)) {
    if (field.dataset.in === 'path') filled = filled.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.value !== '') query.set(field.name, field.value);
  }
  const headers = { Accept: 'application/json' };
  const text = form.querySelector('textarea')?.value.trim();
  if (text) headers['Content-Type'] = 'application/json';
  const search = query.size > 0 ? `?${query}` : '';
  return { method, url: `${location.origin}${root}${filled}${search}`, headers, body: text || undefined };
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function showCurl(form) {
  const shown = form.querySelector('[data-curl]');
  if (!shown) return;
  const { method, url, headers, body } = read(form);
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if ('secured' in form.dataset) lines.push('-H "Authorization: Bearer $ACCESS"');
  if (body) lines.push(`-d ${quoted(oneLine(body))}`);
  shown.textContent = lines.join(' \\\n  ');
}

function oneLine(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text, ...properties });
}

function showResponse(form, status, took, headers, body) {
  const output = form.querySelector('[data-response]');
  const good = /^2|^304/.test(status);
  const head = element('p', '', { className: `status-line ${good ? 'good' : 'bad'}` });
  head.append(element('strong', status), took === undefined ? '' : ` in ${took} ms`);
  const details = element('details', '', { className: 'more' });
  details.append(element('summary', 'Headers'), element('pre', headers, { tabIndex: 0 }));
  const shown = element('pre', body === '' ? 'No body.' : body, { tabIndex: 0 });
  output.replaceChildren(head, ...(headers ? [details] : []), shown);
  output.hidden = false;
}

async function send(form) {
  // The form may still show example ids: the session or the rows may arrive after the click.
  await opened;
  await fillIn(form);
  showCurl(form);
  const request = read(form);
  const token = 'secured' in form.dataset ? await currentToken() : undefined;
  if (token) request.headers.Authorization = `Bearer ${token}`;
  const started = performance.now();
  let response;
  try {
    response = await fetch(request.url, request);
  } catch {
    showResponse(form, 'The service did not respond.', undefined, '', 'Is it running, and are you online?');
    return;
  }
  const text = await response.text();
  const took = Math.round(performance.now() - started);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  let json;
  try {
    json = JSON.parse(text);
  } catch {}
  showResponse(form, `${response.status} ${response.statusText}`, took, headers, json ? JSON.stringify(json, null, 2) : text);
  // Requests use a token that was issued here, so nobody has to copy it after a login.
  const { pathname } = new URL(request.url);
  if (response.ok && tokenAnswers.test(pathname) && typeof json?.access_token === 'string') {
    useOwnToken(json.access_token);
  }
  if (response.ok && request.method !== 'GET') rows.clear();
}

/** Asks for confirmation before an irreversible request. */
function isSure(form, button) {
  if (!('twice' in form.dataset) || button.dataset.sure) return true;
  button.dataset.sure = 'yes';
  button.textContent = 'Yes, send it';
  form.querySelector('[data-note]').textContent = 'This changes what is there. Press again to go on.';
  return false;
}

function calm(form, button) {
  delete button.dataset.sure;
  button.textContent = 'Send';
  form.querySelector('[data-note]').textContent = '';
}

function complain(form) {
  const text = form.querySelector('textarea');
  const error = form.querySelector('[data-body-error]');
  if (!text) return false;
  try {
    if (text.value.trim() !== '') JSON.parse(text.value);
    error.hidden = true;
    text.removeAttribute('aria-invalid');
    return false;
  } catch (problem) {
    error.textContent = `This is no JSON: ${problem.message}`;
    error.hidden = false;
    text.setAttribute('aria-invalid', 'true');
    text.focus();
    return true;
  }
}

for (const form of all('form.try')) {
  const button = form.querySelector('.send button');
  form.querySelector('.send').hidden = false;
  form.addEventListener('input', () => {
    calm(form, button);
    showCurl(form);
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.getAttribute('aria-busy') === 'true' || complain(form) || !isSure(form, button)) return;
    button.setAttribute('aria-busy', 'true');
    await send(form).finally(() => button.removeAttribute('aria-busy'));
    calm(form, button);
  });
}

// Rows are fetched when a form becomes visible.
const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    sight.unobserve(target);
    opened.then(() => fillIn(target)).then(() => showCurl(target));
  }
});
const opened = openSession().catch(() => showSession());
for (const form of all('form.try')) sight.observe(form);

const own = document.querySelector('form[data-own]');
own.addEventListener('submit', (event) => event.preventDefault());
own.addEventListener('change', () => useOwnToken(own.querySelector('input').value.trim()));

for (const button of all('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = 'Copied';
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = 'Press Ctrl+C';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

// Searches the operations of all pages.
const filter = document.querySelector('[data-filter]');
filter.hidden = false;
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of all('[data-section]')) {
    let any = false;
    for (const link of all('a[data-find]', item)) {
      const text = `${link.dataset.find} ${item.firstElementChild.textContent}`.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      link.parentElement.hidden = !fits;
      any ||= fits;
    }
    const others = item.querySelector('[data-hidden-section]');
    if (others) others.hidden = words.length === 0;
    item.hidden = !any && words.length > 0;
  }
});

// On narrow screens, the contents start closed.
if (matchMedia('(max-width: 47.99rem)').matches) document.querySelector('.contents details').open = false;

for (const form of all('form[data-themes]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { submitter } = event;
    const theme = submitter.value === 'system' ? undefined : submitter.value;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    for (const button of all('button', form)) button.setAttribute('aria-pressed', String(button === submitter));
    const body = new URLSearchParams(new FormData(form, submitter));
    await fetch(form.action, { method: 'POST', body, redirect: 'manual' });
  });
}
