import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Gate } from './Gate.tsx';
import './gate.css';

const place = document.getElementById('console');
if (!place) throw new Error('The page has no element "console".');
createRoot(place).render(
  <StrictMode>
    <Gate />
  </StrictMode>,
);
