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

/** Browser and system, as far as they are known ones: never words that a caller made up. */
export function recogniseDevice(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const find = (list: readonly [RegExp, string][]) => list.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  return browser && system ? `${browser} on ${system}` : (browser ?? system);
}

const unknownDevice = 'Unknown device';

/** What a person would call the device: "Firefox on Windows". A program is called what it calls itself. */
export function describeDevice(userAgent: string | null): string {
  const recognised = recogniseDevice(userAgent);
  return recognised ?? (userAgent?.split(/[\s/(]/, 1)[0]?.slice(0, 40) || unknownDevice);
}

/** Such a name, in the language of whoever reads it. */
export function sayDevice(device: string): LocalizedText {
  if (device === unknownDevice) return message('device_name.unknown');
  const parts = partsOfDevice(device);
  return parts ? message('device_name.on', { ...parts }) : device;
}

/** Of "Firefox on Windows": both names. */
export function partsOfDevice(device: string): { browser: string; system: string } | undefined {
  const [, browser, system] = /^(.+) on (.+)$/.exec(device) ?? [];
  return browser && system ? { browser, system } : undefined;
}
