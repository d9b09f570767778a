import { loadMessages } from '../text/translate.ts';
import { applyBrandColours } from './brand.ts';
import { prefetchConsoleData } from './console-data.ts';
import { showFirstRows } from './first-rows.ts';
import { preloadPages } from './lazy-pages.ts';
import './gate.css';
import './console.css';
import './controls.css';

const rootElement = document.getElementById('console');
if (!rootElement) throw new Error('The page has no element "console".');
applyBrandColours();
// The code of the console loads while the service responds with the data.
const renderer = import('./render-console.tsx');
const language = loadMessages();
preloadPages();
let isRendered = false;
prefetchConsoleData((rows) => {
  // The console reports a failure when it is loaded.
  language.then(() => showFirstRows(rootElement, rows, () => isRendered)).catch(() => undefined);
});
void language.then(async () => {
  const { renderConsole } = await renderer;
  isRendered = true;
  renderConsole(rootElement);
});
