import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from 'react';
import { gatehouse, home, whenSignedOut } from './api.ts';
import { brand } from './brand.ts';
import { loadDescriptions, type ResourceDescription } from './descriptions.ts';
import { loadAhead } from './lazy-pages.ts';
import { say } from './say.ts';

// Load while the session is being looked up.
const consoleCode = import('./Console.tsx');
loadAhead();
const Console = lazy(() => consoleCode);

type State =
  | { name: 'opening' }
  | { name: 'open'; descriptions: ResourceDescription[] }
  | { name: 'signedOut' }
  | { name: 'failed'; message: string };

/** Lets in whoever has a session: finds out before any of the console is drawn. */
export function Gate() {
  const [state, setState] = useState<State>({ name: 'opening' });
  const open = useCallback(() => {
    setState({ name: 'opening' });
    enter().then(setState, (error: Error) => setState({ name: 'failed', message: error.message }));
  }, []);

  useEffect(open, [open]);
  useEffect(() => whenSignedOut(() => setState({ name: 'signedOut' })), []);

  if (state.name === 'open') {
    return (
      <Suspense fallback={<Waiting />}>
        <Console descriptions={state.descriptions} />
      </Suspense>
    );
  }
  if (state.name === 'opening') return <Waiting />;
  if (state.name === 'signedOut') {
    return (
      <Notice title={say('You are signed out')} text={say('Sign in again to go on with the console.')}>
        <a className="open" href={comeBackTo()}>
          {say('Sign in')}
        </a>
      </Notice>
    );
  }
  return (
    <Notice title={say('The console cannot open')} text={state.message}>
      <button type="button" className="open" onClick={open}>
        {say('Try again')}
      </button>
    </Notice>
  );
}

/** Where the person was; after a logout that is nowhere. */
const comeBackTo = (): string => (location.pathname === `${home}/login` ? home : location.pathname + location.search);

async function enter(): Promise<State> {
  if (!(await gatehouse.resume())) return { name: 'signedOut' };
  return { name: 'open', descriptions: await loadDescriptions(gatehouse) };
}

function Waiting() {
  return (
    <div className="gate">
      <p className="waiting" role="status">
        {say('Opening the console…')}
      </p>
    </div>
  );
}

function Notice({ title, text, children }: { title: string; text: string; children: ReactNode }) {
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
