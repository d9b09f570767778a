import type { FastifyRequest } from 'fastify';
import type { Variables } from './views.ts';

interface Words {
  readonly title: string;
  readonly detail?: string;
}

const notOpen: Words = { title: 'This is not open to you' };

/** Statuses that people meet, in their words; for any other the problem's own title and detail are shown. */
const words = new Map<number, Words>([
  [400, { title: 'That did not make sense' }],
  [404, { title: 'There is no such page', detail: 'The address may be mistyped, or what was here is gone.' }],
  [405, { title: 'This page does not work that way', detail: 'Go back, and use the links and buttons of the page.' }],
  [413, { title: 'That was too much at once' }],
  [429, { title: 'Too many requests' }],
  [500, { title: 'Something went wrong on our side', detail: 'It has been logged. Try again in a moment.' }],
  [503, { title: 'Not available right now' }],
]);

/** The variables of the view `error`. */
export function describeError(request: FastifyRequest, status: number, title: string, detail: string): Variables {
  const known = title === 'Forbidden' ? notOpen : words.get(status);
  return { status, title: known?.title ?? title, detail: known?.detail ?? detail, request_id: request.id };
}
