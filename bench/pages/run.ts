import { chromium } from 'playwright-core';
import { enterRunFolder } from '../../test/harness/run-folder.ts';
import { administrator } from '../gatehouse/first-accounts.ts';
import { prepareGatehouse } from '../gatehouse/start-gatehouse.ts';
import { median } from '../measure/median.ts';
import { listKilobytes } from './entry-size.ts';
import { measurePage, type PageFigures, type PageToMeasure, slowestLine } from './measure-page.ts';

/** The size of the pages, and their load times on a slow connection. */
const pages: readonly PageToMeasure[] = [
  { name: 'console, overview', path: '/admin', usable: 'main h2, #main-content h2' },
  { name: 'console, a list of cars', path: '/admin/cars', usable: 'tbody td.select' },
  { name: 'the same at 50 kB/s and 400 ms', path: '/admin/cars', usable: 'tbody td.select', line: slowestLine },
  { name: 'the same, its first row as text', path: '/admin/cars', usable: 'tbody tr td', line: slowestLine },
  { name: 'account settings', path: '/settings', usable: 'form' },
  { name: 'API reference', path: '/docs', usable: '[data-who]:not(:empty)' },
  { name: 'API reference, cars', path: '/docs/cars', usable: '.send:not([hidden])' },
];
const rounds = 3;

enterRunFolder({ onDisk: true });

const gatehouse = await prepareGatehouse('sqlite', { users: 200, sessions: 10, cars: 10_000 });
const { url, stop } = await gatehouse.start();
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});
try {
  const context = await browser.newContext();
  const door = await context.newPage();
  await door.goto(`${url}/login`);
  await door.fill('[name="login"]', administrator.email);
  await door.fill('[name="password"]', administrator.password);
  await Promise.all([door.waitForURL(/settings/), door.press('[name="password"]', 'Enter')]);
  console.log(`| first visit, ${rounds} rounds, medians | first paint | usable | sent | requests |`);
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const page of pages) {
    const measured: PageFigures[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await measurePage(context, url, page));
    const middle = (figure: keyof PageFigures) => Math.round(median(measured.map((each) => each[figure])));
    console.log(
      `| ${page.name} | ${middle('firstPaint')} ms | ${middle('usable')} ms | ${middle('kilobytes')} kB | ${middle('requests')} |`,
    );
  }
  console.log(`\nThe files of the console's first list, compressed: ${listKilobytes()} kB (target: under 150).`);
} finally {
  await browser.close();
  await stop();
  gatehouse.remove();
}
