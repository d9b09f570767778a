import { type Message, message } from './message.ts';

/**
 * What an error of the API is for people. The code finds a message that fits whatever has it. Where a code stands for several
 * things, the sentence itself is a key, or what it says before its colon.
 */
export function problemMessage(code: string, detail: string, byCode = messageOf(code, detail)): Message {
  const beginning = /^[^:]+(?=: )/.exec(detail)?.[0];
  return message(detail, {}, beginning === undefined ? byCode : message(`${beginning}.`, { detail }, byCode));
}

/** For a page that shows nothing else: without the API's own words, which are English. */
export const problemOnPage = (code: string, detail: string): Message =>
  problemMessage(code, detail, message(`error.${code}.detail`, { detail }, messageOf(code, detail)));

const messageOf = (code: string, detail: string): Message => message(`problem.${code}`, { detail }, detail);
