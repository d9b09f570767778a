import type { FastifyReply } from 'fastify';
import { message } from '../../config/languages/message.ts';
import { requestSource } from '../../http/request-source.ts';
import { openidScope } from '../../oauth/clients/scopes/scopes.ts';
import {
  decideOnDevice,
  earlierDecision,
  findWaitingDevice,
  type WaitingDevice,
} from '../../oauth/device-authorization/decide-device.ts';
import { readUserCode, showUserCode } from '../../oauth/device-authorization/device-authorization.ts';
import type { OAuth } from '../../oauth/oauth.ts';
import { asObject } from '../../platform/is-object.ts';
import { hostOfClient, ownerOfClient } from '../authorize/consent-page.ts';
import type { Variables } from '../kit/views.ts';
import type { PageKit, Visit } from '../kit/visit.ts';
import { currentUser } from '../settings/settings-shell.ts';

/** RFC 8628 3.3: the user types the code and decides. A link with the code only saves typing. */
export function serveDevicePage(kit: PageKit, oauth: OAuth): void {
  kit.page('/device', 'auth:web', (visit) => {
    const { user_code: sent = '' } = visit.query;
    const code = readUserCode(String(sent));
    return showDevice(visit, code === undefined ? {} : { values: { user_code: showUserCode(code) } });
  });
  kit.form('/device', 'auth:web', (visit) => withDevice(visit, oauth, (device) => showConfirm(visit, oauth, device)));
  kit.form('/device/decision', 'auth:web', async (visit) => {
    const { user_code } = visit.form('user_code');
    const earlier = () => earlierDecision(oauth, visit.caller, user_code);
    const decision = await earlier();
    if (decision) return visit.redirect(`/device/done?decision=${decision}`);
    return withDevice(visit, oauth, (device) => decide(visit, oauth, device), earlier);
  });
  kit.page('/device/done', 'auth:web', showDone);
}

const showDevice = (visit: Visit, variables: Variables) =>
  visit.show('device', { title: message('device.title'), ...variables });

/** Finds the device with the typed code, or shows the page again with an error. */
async function withDevice(
  visit: Visit,
  oauth: OAuth,
  next: (device: WaitingDevice) => Promise<FastifyReply>,
  earlier?: () => ReturnType<typeof earlierDecision>,
): Promise<FastifyReply> {
  const { user_code } = visit.form('user_code');
  const person = { caller: visit.caller, source: requestSource(visit.request) };
  const device = await findWaitingDevice(oauth, person, user_code);
  if (device) return next(device);
  // Of two concurrent clicks, the first may have decided while this request looked for the device.
  const decision = await earlier?.();
  if (decision) return visit.redirect(`/device/done?decision=${decision}`);
  const errors = { user_code: message('device.none') };
  return showDevice(visit.status(422), { values: { user_code: user_code.slice(0, 32) }, errors });
}

async function showConfirm(
  visit: Visit,
  { scopes: known }: OAuth,
  { row, client, scopes }: WaitingDevice,
  variables: Variables = {},
): Promise<FastifyReply> {
  const { name, email, username, phone } = await currentUser(visit);
  return visit.show('device-confirm', {
    title: message('device.title'),
    person: { label: name || email || username || phone },
    application: {
      name: client.name,
      verified: client.registration === null,
      host: hostOfClient(client),
      owner: await ownerOfClient(visit.kit, client),
    },
    scopes: scopes.map((scope) => ({
      name: scope,
      text: known.describe(scope),
      fixed: scope === openidScope,
      checked: true,
    })),
    user_code: showUserCode(row.user_code),
    asked_at: new Date(row.created_at).toISOString(),
    address: row.address,
    ...variables,
  });
}

async function decide(visit: Visit, oauth: OAuth, device: WaitingDevice): Promise<FastifyReply> {
  const agreed = visit.form('decision').decision === 'allow';
  const chosen = device.scopes.filter((scope) => scope === openidScope || isTicked(visit, scope));
  if (agreed && chosen.length === 0) {
    return showConfirm(visit.status(422), oauth, device, { problem: message('device.tick_one') });
  }
  const person = { caller: visit.caller, source: requestSource(visit.request) };
  const decision = await decideOnDevice(oauth, person, device, agreed ? chosen : undefined).then(
    () => (agreed ? 'allowed' : 'refused'),
    async (error: unknown) => {
      // Of two concurrent clicks, the first has decided.
      const earlier = await earlierDecision(oauth, visit.caller, device.row.user_code);
      if (earlier === undefined) throw error;
      return earlier;
    },
  );
  return visit.redirect(`/device/done?decision=${decision}`);
}

const isTicked = ({ request }: Visit, scope: string): boolean =>
  Object.hasOwn(asObject(request.body), `scope:${scope}`);

const showDone = (visit: Visit): Promise<FastifyReply> => {
  const refused = visit.query.decision === 'refused';
  return visit.show('message', {
    title: refused ? message('device.refused') : message('device.connected'),
    lines: refused
      ? [message('device.refused_about')]
      : [message('device.go_back'), message('device.end_under_sessions')],
    action: { label: message('device.your_sessions'), path: '/settings/sessions' },
  });
};
