import { createRoot } from 'react-dom/client';
import { Gate } from './Gate.tsx';

export function renderConsole(rootElement: HTMLElement): void {
  const changes = { childList: true, subtree: true, attributeFilter: ['autofocus'] };
  new MutationObserver(focusNewElements).observe(document.body, changes);
  createRoot(rootElement).render(<Gate waiting={rootElement.innerHTML} />);
}

const focused = new WeakSet<HTMLElement>();

/** Focuses a new element with `autoFocus`, as React does. Preact sets an attribute, which works only when a page loads. */
function focusNewElements(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[autofocus]')) {
    if (!focused.has(element)) element.focus();
    focused.add(element);
  }
}
