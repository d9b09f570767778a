import type { BrowserContext, Page } from 'playwright-core';
import type { Service } from '../harness/service.ts';

/** Error responses that tests provoke. The browser logs them. */
const provoked = /status of (401|404|409|412|422)/;

/** Signs in on the login page and opens the console. `complaints` contains the errors in the browser since then. */
export async function openConsole(
  context: BrowserContext,
  { url }: Pick<Service, 'url'>,
  login: string,
  password: string,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !provoked.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(`${url}/admin`);
  await page.getByLabel('Email').fill(login);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return { page, complaints };
}

/** Waits until a field has a value that begins with this text. */
export async function filled(page: Page, value: string): Promise<void> {
  const isThere = `[...document.querySelectorAll('input')].some((field) => field.value.startsWith('${value}'))`;
  while (!(await page.evaluate(isThere))) await page.evaluate('new Promise(requestAnimationFrame)');
}

/** Waits for two frames and for the effects after them, because a form reads its values again after it is drawn. */
export async function drawn(page: Page): Promise<void> {
  const frame = '(next) => requestAnimationFrame(() => setTimeout(next))';
  for (let i = 0; i < 2; i++) await page.evaluate(`new Promise(${frame})`);
}
