// Progressive enhancement: every page works without this script.

const all = (selector) => document.querySelectorAll(selector);

// The language of the page, in the regional variant of the browser.
const { lang } = document.documentElement;
const locale = navigator.languages.find((tag) => tag === lang || tag.startsWith(`${lang}-`)) ?? lang;

// Times are sent in UTC and shown in local time.
const dayAndTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long' });
for (const time of all('time[datetime]')) {
  const date = new Date(time.dateTime);
  if (!Number.isNaN(date.getTime())) {
    time.title = time.textContent;
    time.textContent = ('day' in time.dataset ? day : dayAndTime).format(date);
  }
}

// A response that goes to an application by a form. Without a script, the user presses its button.
for (const form of all('form[data-submit]')) form.requestSubmit();

// Sends the time zone, so that times in mail are local too.
for (const field of all('input[data-time-zone]')) field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? '';

// Without a script, the form has the same effect and the page reloads.
for (const form of all('form[data-themes]')) {
  form.addEventListener('submit', async (event) => {
    const { submitter } = event;
    event.preventDefault();
    const { dataset } = document.documentElement;
    const theme = submitter.value === 'system' ? undefined : submitter.value;
    if (theme) dataset.theme = theme;
    else delete dataset.theme;
    document.querySelector('meta[name="color-scheme"]').content = theme ?? 'light dark';
    for (const button of form.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button === submitter));
    const body = new URLSearchParams(new FormData(form, submitter));
    await fetch(form.action, { method: 'POST', body, redirect: 'manual' });
    submitter.removeAttribute('aria-busy');
  });
}

for (const button of all('button[data-reveal]')) {
  const input = document.getElementById(button.dataset.reveal);
  const show = button.textContent;
  button.hidden = false;
  button.addEventListener('click', () => {
    const shown = input.type === 'text';
    input.type = shown ? 'password' : 'text';
    button.textContent = shown ? show : button.dataset.hide;
    button.setAttribute('aria-pressed', String(!shown));
  });
  // Do not submit a password in a text field: browsers would remember it with other form values.
  input.form.addEventListener('submit', () => {
    input.type = 'password';
  });
}

// Estimates the strength of a password: mostly by length, then by variety. Repetitions, sequences and personal data count little.
// This only helps while typing. The server decides.
function strengthOf(password, about) {
  let text = password.toLowerCase();
  for (const word of about) if (word.length > 2) text = text.replaceAll(word, '_');
  text = text.replace(/(.)\1{2,}/g, '$1$1').replace(/(password|passwort|qwert\w*|asdf\w*|letmein|welcome|admin)/g, '_');
  let effective = 0;
  for (let i = 0; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    effective += Math.abs(step) === 1 ? 0.4 : 1;
  }
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].filter((kind) => kind.test(password)).length;
  const bits = Math.min(effective, new Set(text).size * 2) * (2.6 + kinds * 0.55);
  if ([...password].length < 8) return [Math.min(1, bits / 30), 'tooShort'];
  if (bits < 32) return [1, 'weak'];
  if (bits < 46) return [2, 'fair'];
  return bits < 62 ? [3, 'good'] : [4, 'strong'];
}

for (const box of all('[data-strength]')) {
  const input = document.getElementById(box.dataset.strength);
  const [meter, words] = box.children;
  input.addEventListener('input', () => {
    const about = [...input.form.elements]
      .filter((field) => ['email', 'username', 'name'].includes(field.name))
      .flatMap((field) => field.value.toLowerCase().split(/[@.\s]+/));
    const [score, verdict] = strengthOf(input.value, about);
    box.hidden = input.value === '';
    meter.value = score;
    words.textContent = box.dataset[verdict];
  });
}

// After too many attempts: counts down and then enables the button.
for (const wait of all('[data-wait]')) {
  const button = document.querySelector('button[data-waits]');
  const { again, over } = wait.closest('[data-again]').dataset;
  const until = Date.now() + Number(wait.dataset.wait) * 1000;
  // The wait does not apply to another account.
  const login = button?.form.elements.login;
  const locked = login?.value;
  login?.addEventListener('input', () => {
    button.disabled = login.value === locked && Date.now() < until;
  });
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    if (button) button.disabled = left > 0 && login?.value === locked;
    if (left <= 0) {
      // Screen readers announce the end, not the countdown.
      wait.removeAttribute('aria-live');
      wait.textContent = over;
      return;
    }
    const [count, unit] = left > 90 ? [Math.ceil(left / 60), 'minute'] : [left, 'second'];
    const duration = new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
    const text = again.replace('{duration}', duration);
    if (wait.textContent !== text) wait.textContent = text;
    setTimeout(tick, 1000);
  };
  tick();
}

for (const form of all('form')) {
  form.addEventListener('submit', (event) => {
    const button = event.submitter;
    if (button?.getAttribute('aria-busy') === 'true') event.preventDefault();
    button?.setAttribute('aria-busy', 'true');
    // A download does not leave the page.
    if ('stays' in form.dataset) setTimeout(() => button?.removeAttribute('aria-busy'), 2000);
  });
}

// When the page comes back from the browser's cache, buttons are no longer busy.
addEventListener('pageshow', () => {
  for (const button of all('button[aria-busy]')) button.removeAttribute('aria-busy');
});

// Does not move the focus of a user who is already typing.
if (!document.activeElement?.matches('input, select, textarea')) {
  document.querySelector('[aria-invalid="true"], [data-focus]')?.focus();
}
