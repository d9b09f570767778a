import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { paintGate } from './brand.ts';
import { Gate } from './Gate.tsx';
import { followOldAddress } from './old-address.ts';
import { learnLanguage } from './say.ts';
import './gate.css';

const place = document.getElementById('console');
if (!place) throw new Error('The page has no element "console".');
paintGate();
followOldAddress();
void learnLanguage().then(() =>
  createRoot(place).render(
    <StrictMode>
      <Gate />
    </StrictMode>,
  ),
);
