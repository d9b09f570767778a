import { createGatehouse } from '../../../client/gatehouse.ts';
import { tokenOfPage } from '../auth/page-session.ts';
import { ProofPrompt, SignInPrompt } from '../auth/prompts.ts';
import { Listeners } from './listeners.ts';
import { recordRateLimit } from './request-limit.ts';
import { translateErrors } from './translate-errors.ts';

/** The base path of the service. The service fills it in. Empty, or still a placeholder: no base path. */
const filledIn = document.querySelector<HTMLMetaElement>('meta[name="gatehouse-root"]')?.content ?? '';
export const root = filledIn === '__ROOT__' ? '' : filledIn;
/** The path of the console. */
export const home = `${root}/admin`;

const signedOut = new Listeners();
/** Calls back when the session has ended, by a logout here or at the service. */
export const onSignedOut = signedOut.add;
export const notifySignedOut = signedOut.call;

export const signInPrompt = new SignInPrompt(() => tokenOfPage(root, (url, init) => fetch(url, init)));
export const proofPrompt = new ProofPrompt(root);

export const gatehouse = createGatehouse({
  baseUrl: root,
  renew: signInPrompt.renew,
  onSignedOut: notifySignedOut,
  async fetch(url, init) {
    const response = await proofPrompt.send(url, init);
    recordRateLimit(response);
    return translateErrors(response);
  },
});

/** The `data` of the response to a GET. */
export const readData = async <Data>(path: string): Promise<Data> =>
  (await gatehouse.call<{ data: Data }>({ method: 'GET', path, repeatable: true })).body.data;
