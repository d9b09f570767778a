import { STATUS_CODES } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { type Message, message } from '../../config/languages/message.ts';
import { pageProblemMessage } from '../../config/languages/problem-message.ts';

interface ErrorTexts {
  readonly title: Message;
  readonly detail?: Message;
}

const forbiddenTexts: ErrorTexts = { title: message('error.forbidden.title') };

/** Texts for common statuses. For other statuses, the title says who has to act. */
const textsByStatus = new Map<number, ErrorTexts>([
  [400, { title: message('error.400.title') }],
  [404, { title: message('error.404.title'), detail: message('error.404.detail') }],
  [405, { title: message('error.405.title'), detail: message('error.405.detail') }],
  [413, { title: message('error.413.title') }],
  [429, { title: message('error.429.title') }],
  [500, { title: message('error.500.title'), detail: message('error.500.detail') }],
  [503, { title: message('error.503.title') }],
]);

/** The variables of the view `error`. */
export function describeError(request: FastifyRequest, status: number, title: string, detail: string, code = '') {
  const explanation = pageProblemMessage(code, detail);
  const texts = title === 'Forbidden' ? forbiddenTexts : textsByStatus.get(status);
  const defaultTitle = message(status < 500 ? 'error.400.title' : 'error.500.title');
  // A specific title is more helpful than the HTTP phrase of the status.
  const specificTitle = message(
    `error.${code}.title`,
    {},
    isPhrase(status, title) ? defaultTitle : message(title, {}, title),
  );
  return { status, title: texts?.title ?? specificTitle, detail: texts?.detail ?? explanation, request_id: request.id };
}

/** RFC 9110 has newer names for two statuses than Node. */
const isPhrase = (status: number, title: string): boolean =>
  title === STATUS_CODES[status] || title === 'Content Too Large' || title === 'Unprocessable Content';
