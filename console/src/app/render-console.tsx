import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { home, onSignedOut } from '../data/api.ts';
import { translate } from '../text/translate.ts';
import { brand } from './brand.ts';
import Console from './Console.tsx';
import { type ConsoleData, takeConsoleData } from './console-data.ts';
import { removeFirstRows } from './first-rows.ts';

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

type State =
  | { name: 'opening' }
  | { name: 'open'; entered: NonNullable<ConsoleData> }
  | { name: 'signedOut' }
  | { name: 'failed'; message: string };

/** Opens the console for a signed-in user. `waiting`: the page that is shown until then. */
function Gate({ waiting }: { waiting: string }) {
  const [state, setState] = useState<State>({ name: 'opening' });
  const open = useCallback(() => {
    setState({ name: 'opening' });
    takeConsoleData().then(
      (entered) => setState(entered ? { name: 'open', entered } : { name: 'signedOut' }),
      (error: Error) => setState({ name: 'failed', message: error.message }),
    );
  }, []);

  useEffect(open, [open]);
  useEffect(() => onSignedOut(() => setState({ name: 'signedOut' })), []);

  if (state.name === 'open') return <Console {...state.entered} />;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the HTML of the loading page, which stays visible until the console is loaded.
  if (state.name === 'opening') return <div dangerouslySetInnerHTML={{ __html: waiting }} />;
  if (state.name === 'signedOut') {
    return (
      <Notice title={translate('You are signed out')} text={translate('Sign in again to continue.')}>
        <a className="open" href={returnPath()}>
          {translate('Sign in')}
        </a>
      </Notice>
    );
  }
  return (
    <Notice title={translate('The console cannot open')} text={state.message}>
      <button type="button" className="open" onClick={open}>
        {translate('Try again')}
      </button>
    </Notice>
  );
}

/** The page to return to after a sign-in. After a logout it is the first page. */
const returnPath = (): string => (location.pathname === `${home}/login` ? home : location.pathname + location.search);

function Notice({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  useEffect(removeFirstRows, []);
  return (
    <div className="gate">
      <main>
        <img src={brand.logo} alt="" />
        <h1>{title}</h1>
        <p role="status">{text}</p>
        {children}
      </main>
    </div>
  );
}
