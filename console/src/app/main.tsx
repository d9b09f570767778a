import { learnLanguage } from '../text/say.ts';
import { paintGate } from './brand.ts';
import { beginToEnter } from './enter-console.ts';
import { loadAhead } from './lazy-pages.ts';
import './gate.css';

const place = document.getElementById('console');
if (!place) throw new Error('The page has no element "console".');
paintGate();
// The code of the console loads while the service is asked for its data.
const drawing = import('./draw.tsx');
loadAhead();
beginToEnter();
void learnLanguage().then(async () => (await drawing).draw(place));
