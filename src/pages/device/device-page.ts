import type { FastifyReply, FastifyRequest } from 'fastify';
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
import { membersOf } from '../../platform/is-object.ts';
import { hostOfClient, ownerOfClient } from '../authorize/consent-page.ts';
import { type PageKit, queryOf, readForm } from '../kit/page-kit.ts';
import type { Variables } from '../kit/views.ts';
import { currentUser } from '../settings/settings-shell.ts';

/** RFC 8628 3.3: a person types the code and decides. A link with the code only saves typing. */
export function serveDevicePage(kit: PageKit, oauth: OAuth): void {
  kit.page('/device', 'auth:web', (request, reply) => {
    const { user_code: sent = '' } = queryOf(request);
    const code = readUserCode(String(sent));
    return showDevice(kit, request, reply, code === undefined ? {} : { values: { user_code: showUserCode(code) } });
  });
  kit.form('/device', 'auth:web', (request, reply) =>
    withDevice(kit, oauth, request, reply, (device) => showConfirm(kit, oauth, request, reply, device)),
  );
  kit.form('/device/decision', 'auth:web', async (request, reply) => {
    const { user_code } = readForm(request, 'user_code');
    const earlier = () => earlierDecision(oauth, request.caller, user_code);
    const decision = await earlier();
    if (decision) return kit.go(reply, `/device/done?decision=${decision}`);
    return withDevice(kit, oauth, request, reply, (device) => decide(kit, oauth, request, reply, device), earlier);
  });
  kit.page('/device/done', 'auth:web', (request, reply) => showDone(kit, request, reply));
}

const showDevice = (kit: PageKit, request: FastifyRequest, reply: FastifyReply, variables: Variables) =>
  kit.show(request, reply, 'device', { title: message('device.title'), ...variables });

/** The device whose code was typed, or the page again that says that there is none. */
async function withDevice(
  kit: PageKit,
  oauth: OAuth,
  request: FastifyRequest,
  reply: FastifyReply,
  next: (device: WaitingDevice) => Promise<FastifyReply>,
  earlier?: () => ReturnType<typeof earlierDecision>,
): Promise<FastifyReply> {
  const { user_code } = readForm(request, 'user_code');
  const person = { caller: request.caller, source: requestSource(request) };
  const device = await findWaitingDevice(oauth, person, user_code);
  if (device) return next(device);
  // Of two clicks at once, the first may have decided while this one looked for the device.
  const decision = await earlier?.();
  if (decision) return kit.go(reply, `/device/done?decision=${decision}`);
  const errors = { user_code: message('device.none') };
  return showDevice(kit, request, reply.code(422), { values: { user_code: user_code.slice(0, 32) }, errors });
}

async function showConfirm(
  kit: PageKit,
  { scopes: known }: OAuth,
  request: FastifyRequest,
  reply: FastifyReply,
  { row, client, scopes }: WaitingDevice,
  variables: Variables = {},
): Promise<FastifyReply> {
  const { name, email, username, phone } = await currentUser(kit, request);
  return kit.show(request, reply, 'device-confirm', {
    title: message('device.title'),
    person: { label: name || email || username || phone },
    application: {
      name: client.name,
      verified: client.registration === null,
      host: hostOfClient(client),
      owner: await ownerOfClient(kit, client),
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

async function decide(
  kit: PageKit,
  oauth: OAuth,
  request: FastifyRequest,
  reply: FastifyReply,
  device: WaitingDevice,
): Promise<FastifyReply> {
  const agreed = readForm(request, 'decision').decision === 'allow';
  const chosen = device.scopes.filter((scope) => scope === openidScope || isTicked(request, scope));
  if (agreed && chosen.length === 0) {
    return showConfirm(kit, oauth, request, reply.code(422), device, { problem: message('device.tick_one') });
  }
  const person = { caller: request.caller, source: requestSource(request) };
  const decision = await decideOnDevice(oauth, person, device, agreed ? chosen : undefined).then(
    () => (agreed ? 'allowed' : 'refused'),
    async (error: unknown) => {
      // Two clicks at once: the first has decided.
      const earlier = await earlierDecision(oauth, request.caller, device.row.user_code);
      if (earlier === undefined) throw error;
      return earlier;
    },
  );
  return kit.go(reply, `/device/done?decision=${decision}`);
}

const isTicked = ({ body }: FastifyRequest, scope: string): boolean => Object.hasOwn(membersOf(body), `scope:${scope}`);

const showDone = (kit: PageKit, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const refused = queryOf(request).decision === 'refused';
  return kit.show(request, reply, 'message', {
    title: refused ? message('device.refused') : message('device.connected'),
    lines: refused
      ? [message('device.refused_about')]
      : [message('device.go_back'), message('device.end_under_sessions')],
    action: { label: message('device.your_sessions'), path: '/settings/sessions' },
  });
};
