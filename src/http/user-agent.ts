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

/** The browser and system, if they are known. The result never contains text from the caller. */
export function recogniseUserAgent(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const match = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = match(browsers);
  const system = match(systems);
  return browser && system ? `${browser} on ${system}` : (browser ?? system);
}

const unknownUserAgent = 'Unknown device';

/** A short name, such as "Firefox on Windows". An unknown program keeps its own name. */
export function describeUserAgent(userAgent: string | null): string {
  const recognised = recogniseUserAgent(userAgent);
  return recognised ?? (userAgent?.split(/[\s/(]/, 1)[0]?.slice(0, 40) || unknownUserAgent);
}

export function localizeUserAgent(name: string): LocalizedText {
  if (name === unknownUserAgent) return message('user_agent.unknown');
  const parts = splitUserAgent(name);
  return parts ? message('user_agent.on', { ...parts }) : name;
}

export function splitUserAgent(name: string): { browser: string; system: string } | undefined {
  const [, browser, system] = /^(.+) on (.+)$/.exec(name) ?? [];
  return browser && system ? { browser, system } : undefined;
}
