import { loadMessages } from '../text/translate.ts';
import { paintGate } from './brand.ts';
import { prefetchConsoleData } from './enter-console.ts';
import { showFirstRows } from './first-rows.ts';
import { loadAhead } from './lazy-pages.ts';
import './gate.css';
import './console.css';

const place = document.getElementById('console');
if (!place) throw new Error('The page has no element "console".');
paintGate();
// The code of the console loads while the service responds with the data.
const drawing = import('./draw.tsx');
const language = loadMessages();
loadAhead();
let isDrawn = false;
prefetchConsoleData((rows) => {
  // The console reports a failure when it is loaded.
  language.then(() => showFirstRows(place, rows, () => isDrawn)).catch(() => undefined);
});
void language.then(async () => {
  const { draw } = await drawing;
  isDrawn = true;
  draw(place);
});
