import { learnLanguage } from '../text/say.ts';
import { paintGate } from './brand.ts';
import { beginToEnter } from './enter-console.ts';
import { loadAhead } from './lazy-pages.ts';
import './gate.css';

const place = document.getElementById('console');
if (!place) throw new Error('The page has no element "console".');
paintGate();
// What is drawn, and what it is drawn with, come while the service is asked what there is to draw.
const drawing = import('./draw.tsx');
loadAhead();
beginToEnter();
void learnLanguage().then(async () => (await drawing).draw(place));
