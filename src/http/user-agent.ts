import { type LocalizedText, message } from '../config/languages/message.ts';

const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:\S+ )?Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X|Macintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Browser and system, if they are known: never arbitrary text from a caller. */
export function recogniseUserAgent(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const find = (list: readonly [RegExp, string][]) => list.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  return browser && system ? `${browser} on ${system}` : (browser ?? system);
}

const unknownUserAgent = 'Unknown device';

/** A name that a person recognises: "Firefox on Windows". Programs keep their own name. */
export function describeUserAgent(userAgent: string | null): string {
  const recognised = recogniseUserAgent(userAgent);
  return recognised ?? (userAgent?.split(/[\s/(]/, 1)[0]?.slice(0, 40) || unknownUserAgent);
}

/** The same name in the reader's language. */
export function localizeUserAgent(name: string): LocalizedText {
  if (name === unknownUserAgent) return message('user_agent.unknown');
  const parts = splitUserAgent(name);
  return parts ? message('user_agent.on', { ...parts }) : name;
}

/** The two names in "Firefox on Windows". */
export function splitUserAgent(name: string): { browser: string; system: string } | undefined {
  const [, browser, system] = /^(.+) on (.+)$/.exec(name) ?? [];
  return browser && system ? { browser, system } : undefined;
}
