import { describeUserAgent, partsOfUserAgent } from '../../../src/http/user-agent.ts';
import { say } from './say.ts';

/** The name of a browser or program, in the reader's language. */
export function userAgentName(userAgent: string | null): string {
  const name = describeUserAgent(userAgent);
  const parts = partsOfUserAgent(name);
  // What a program calls itself is what it is; only our own words are translated.
  return parts ? say('{browser} on {system}', parts) : say(name);
}
