import type { FastifyRequest } from 'fastify';
import { type Message, message } from '../../languages/message.ts';
import type { Variables } from './views.ts';

interface Words {
  readonly title: Message;
  readonly detail?: Message;
}

const notOpen: Words = { title: message('error.forbidden.title') };

/** Statuses that people meet, in their words; for any other the problem's own title and detail are shown. */
const words = new Map<number, Words>([
  [400, { title: message('error.400.title') }],
  [404, { title: message('error.404.title'), detail: message('error.404.detail') }],
  [405, { title: message('error.405.title'), detail: message('error.405.detail') }],
  [413, { title: message('error.413.title') }],
  [429, { title: message('error.429.title') }],
  [500, { title: message('error.500.title'), detail: message('error.500.detail') }],
  [503, { title: message('error.503.title') }],
]);

/** The variables of the view `error`. */
export function describeError(
  request: FastifyRequest,
  status: number,
  title: string,
  detail: string,
  code = '',
): Variables {
  const said = message(`problem.${code}`, { detail }, detail);
  const known = title === 'Forbidden' ? notOpen : words.get(status);
  return { status, title: known?.title ?? title, detail: known?.detail ?? said, request_id: request.id };
}
