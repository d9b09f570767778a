import { type Message, message } from './message.ts';

/**
 * The message for an error of the API. Its key is the English sentence, or the part before the colon, because a code can stand for
 * several errors. Without such a message, the message of the code is used.
 */
export function problemMessage(code: string, detail: string, byCode = messageOf(code, detail)): Message {
  const beginning = /^[^:]+(?=: )/.exec(detail)?.[0];
  return message(detail, {}, beginning === undefined ? byCode : message(`${beginning}.`, { detail }, byCode));
}

/** For a page that shows only the error: without the English text of the API. */
export const pageProblemMessage = (code: string, detail: string): Message =>
  problemMessage(code, detail, message(`error.${code}.detail`, { detail }, messageOf(code, detail)));

const messageOf = (code: string, detail: string): Message => message(`problem.${code}`, { detail }, detail);
