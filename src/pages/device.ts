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

/** What a person would call the device: "Firefox on Windows". A program is called what it calls itself. */
export function describeDevice(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device';
  const find = (list: readonly [RegExp, string][]) => list.find(([sign]) => sign.test(userAgent))?.[1];
  const browser = find(browsers);
  const system = find(systems);
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? (userAgent.split(/[\s/(]/, 1)[0]?.slice(0, 40) || 'Unknown device');
}
