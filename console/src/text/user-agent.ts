import { describeUserAgent, splitUserAgent } from '../../../src/http/user-agent.ts';
import { translate } from './translate.ts';

/** The name of a browser or program, in the reader's language. */
export function userAgentName(userAgent: string | null): string {
  const name = describeUserAgent(userAgent);
  const parts = splitUserAgent(name);
  // Only the words of the console are translated, not the name of a program.
  return parts ? translate('{browser} on {system}', parts) : translate(name);
}
