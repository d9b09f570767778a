import { type Me, whoAmI } from '../auth/auth-provider.ts';
import { gatehouse, home } from '../data/api.ts';
import { loadDescriptions, type ResourceDescription } from '../data/descriptions.ts';
import { askForRows } from '../data/rows-ahead.ts';

/** Who has come in, and what there is to see. Undefined: nobody is signed in. */
export type Entered = { me: Me; descriptions: ResourceDescription[] } | undefined;

let begun: Promise<Entered> | undefined;

/** Before anything can be drawn: the answers are on their way while the code still is. */
export function beginToEnter(): void {
  begun = ask();
  // Whoever enters hears of it.
  begun.catch(() => undefined);
}

/** The first try was made before there were words for its failure, so that another one is made then. */
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
