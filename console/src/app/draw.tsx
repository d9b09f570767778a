import { createRoot } from 'react-dom/client';
import { focusNewElements } from './focus-new-elements.ts';
import { Gate } from './Gate.tsx';

export function draw(place: HTMLElement): void {
  focusNewElements();
  createRoot(place).render(<Gate waiting={place.innerHTML} />);
}
