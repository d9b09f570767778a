import { message } from '../../src/config/languages/message.ts';
import { requestSource } from '../../src/http/request-source.ts';
import { openidScope } from '../../src/oauth/clients/scopes/scopes.ts';
import type { OAuth } from '../../src/oauth/oauth.ts';
import { hostOfClient, ownerOfClient } from '../../src/pages/authorize/consent-page.ts';
import { currentUser } from '../../src/pages/kit/current-user.ts';
import type { Page, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { Variables } from '../../src/pages/kit/views.ts';
import { asObject } from '../../src/platform/is-object.ts';
import { decideOnDevice, earlierDecision, findWaitingDevice, type WaitingDevice } from './decide-device.ts';
import { readUserCode, showUserCode } from './device-authorization.ts';

/** RFC 8628 3.3.1: a link with the code only saves typing. */
export function askForCode(pageRequest: PageRequest): Page {
  const { user_code: submittedCode = '' } = pageRequest.query;
  const code = readUserCode(String(submittedCode));
  return showDevice(pageRequest, code === undefined ? {} : { values: { user_code: showUserCode(code) } });
}

export const askForDecision = (pageRequest: PageRequest, oauth: OAuth): Page =>
  withDevice(pageRequest, oauth, (device) => showConfirm(pageRequest, oauth, device));

export async function saveDecision(pageRequest: PageRequest, oauth: OAuth): Page {
  const { user_code } = pageRequest.form('user_code');
  const earlier = () => earlierDecision(oauth, pageRequest.caller, user_code);
  const decision = await earlier();
  if (decision) return pageRequest.redirect(`/device/done?decision=${decision}`);
  return withDevice(pageRequest, oauth, (device) => decide(pageRequest, oauth, device), earlier);
}

const showDevice = (pageRequest: PageRequest, variables: Variables) =>
  pageRequest.show('device', { title: message('device.title'), ...variables });

/** Finds the device with the typed code, or shows the page again with an error. */
async function withDevice(
  pageRequest: PageRequest,
  oauth: OAuth,
  next: (device: WaitingDevice) => Page,
  earlier?: () => ReturnType<typeof earlierDecision>,
): Page {
  const { user_code } = pageRequest.form('user_code');
  const person = { caller: pageRequest.caller, source: requestSource(pageRequest.request) };
  const device = await findWaitingDevice(oauth, person, user_code);
  if (device) return next(device);
  // Of two concurrent clicks, the first may have decided while this request looked for the device.
  const decision = await earlier?.();
  if (decision) return pageRequest.redirect(`/device/done?decision=${decision}`);
  const errors = { user_code: message('device.none') };
  return showDevice(pageRequest.status(422), { values: { user_code: user_code.slice(0, 32) }, errors });
}

async function showConfirm(
  pageRequest: PageRequest,
  { scopes: knownScopes }: OAuth,
  { row, client, scopes }: WaitingDevice,
  variables: Variables = {},
): Page {
  const { name, email, username, phone } = await currentUser(pageRequest);
  return pageRequest.show('device-confirm', {
    title: message('device.title'),
    person: { label: name || email || username || phone },
    application: {
      name: client.name,
      verified: client.registration === null,
      host: hostOfClient(client),
      owner: await ownerOfClient(pageRequest.kit, client),
    },
    scopes: scopes.map((scope) => ({
      name: scope,
      text: knownScopes.describe(scope),
      fixed: scope === openidScope,
      checked: true,
    })),
    user_code: showUserCode(row.user_code),
    asked_at: new Date(row.created_at).toISOString(),
    address: row.address,
    ...variables,
  });
}

async function decide(pageRequest: PageRequest, oauth: OAuth, device: WaitingDevice): Page {
  const isAllowed = pageRequest.form('decision').decision === 'allow';
  const chosen = device.scopes.filter((scope) => scope === openidScope || isTicked(pageRequest, scope));
  if (isAllowed && chosen.length === 0) {
    return showConfirm(pageRequest.status(422), oauth, device, { problem: message('device.tick_one') });
  }
  const person = { caller: pageRequest.caller, source: requestSource(pageRequest.request) };
  const decision = await decideOnDevice(oauth, person, device, isAllowed ? chosen : undefined).then(
    () => (isAllowed ? 'allowed' : 'refused'),
    async (error: unknown) => {
      // Of two concurrent clicks, the first has decided.
      const earlier = await earlierDecision(oauth, pageRequest.caller, device.row.user_code);
      if (earlier === undefined) throw error;
      return earlier;
    },
  );
  return pageRequest.redirect(`/device/done?decision=${decision}`);
}

const isTicked = ({ request }: PageRequest, scope: string) => Object.hasOwn(asObject(request.body), `scope:${scope}`);

export const showDone = (pageRequest: PageRequest): Page => {
  const refused = pageRequest.query.decision === 'refused';
  return pageRequest.show('message', {
    title: refused ? message('device.refused') : message('device.connected'),
    lines: refused
      ? [message('device.refused_about')]
      : [message('device.go_back'), message('device.end_under_sessions')],
    action: { label: message('device.your_sessions'), path: '/settings/sessions' },
  });
};
