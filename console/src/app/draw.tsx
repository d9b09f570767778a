import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Gate } from './Gate.tsx';

export function draw(place: HTMLElement): void {
  createRoot(place).render(
    <StrictMode>
      <Gate />
    </StrictMode>,
  );
}
