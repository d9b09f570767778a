import { type Me, whoAmI } from '../auth/auth-provider.ts';
import { gatehouse, home } from '../data/api.ts';
import { loadDescriptions, type ResourceDescription } from '../data/descriptions.ts';
import { askForRows } from '../data/rows-ahead.ts';

/** The signed-in user and the descriptions of the resources. Undefined: nobody is signed in. */
export type Entered = { me: Me; descriptions: ResourceDescription[] } | undefined;

let begun: Promise<Entered> | undefined;

/** Asks the service for its data while the code of the console still loads. */
export function beginToEnter(): void {
  begun = ask();
  // `enterConsole` reports the error.
  begun.catch(() => undefined);
}

/** Repeats the first request if it failed: it was made before the messages were there to explain a failure. */
export function enterConsole(): Promise<Entered> {
  const first = begun;
  begun = undefined;
  return first ? first.catch(ask) : ask();
}

async function ask(): Promise<Entered> {
  if (!(await gatehouse.resume())) return undefined;
  const described = loadDescriptions(gatehouse).then((descriptions) => {
    askForRows(gatehouse, descriptions, location.pathname.slice(home.length) + location.search);
    return descriptions;
  });
  const [me, descriptions] = await Promise.all([whoAmI(gatehouse), described]);
  return { me, descriptions };
}
