import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { OperatorError, reasonOf } from '../platform/errors.ts';
import type { Config } from './config.ts';

export interface Brand {
  readonly name: string;
  /** Undefined: Gatehouse's own logo. */
  readonly logo: { readonly url: string } | { readonly content: Buffer; readonly type: string } | undefined;
  readonly colours: typeof defaultColours | undefined;
}

type Rgb = readonly [number, number, number];

const black: Rgb = [0, 0, 0];
const white: Rgb = [255, 255, 255];
/** WCAG 2.2, 1.4.3: the minimum contrast for text of any size. */
const minContrast = 4.5;

/** The backgrounds that the accent colour is shown on, in each mode. */
const backgrounds = { light: ['#f0efea', '#ffffff'], dark: ['#1b1f22', '#131618'] } as const;

/** The colours of one mode: `accent` is read as text, `fill` lies under `onFill`. */
export type BrandColours = (typeof defaultColours)['light'];

/** The default colours, without BRAND_COLOR. */
export const defaultColours = {
  light: {
    accent: '#17614d',
    accentHover: '#114b3b',
    accentSoft: '#e5f0ec',
    fill: '#17614d',
    fillHover: '#114b3b',
    onFill: '#ffffff',
  },
  dark: {
    accent: '#74cbad',
    accentHover: '#8fd9bf',
    accentSoft: '#1a2f28',
    fill: '#74cbad',
    fillHover: '#8fd9bf',
    onFill: '#0c2019',
  },
};

const logoTypes = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webp', 'image/webp'],
  ['.gif', 'image/gif'],
]);
const maxLogoBytes = 1024 * 1024;

/** The operator's name, logo and colour for pages, mail and console. */
export function readBrand({ brandName, brandLogo, brandColor }: Config): Brand {
  return { name: brandName, logo: readLogo(brandLogo), colours: brandColor ? readableColours(brandColor) : undefined };
}

function readLogo(logo: string): Brand['logo'] {
  if (logo === '') return undefined;
  if (/^https?:\/\//.test(logo)) return { url: logo };
  const type = logoTypes.get(extname(logo).toLowerCase());
  if (!type) {
    throw new OperatorError(`BRAND_LOGO: ${logo} is not a picture. Expected ${[...logoTypes.keys()].join(', ')}.`);
  }
  let content: Buffer;
  try {
    content = readFileSync(logo);
  } catch (error) {
    throw new OperatorError(`BRAND_LOGO: the file could not be read: ${reasonOf(error)}`);
  }
  if (content.length <= maxLogoBytes) return { content, type };
  throw new OperatorError(`BRAND_LOGO: ${logo} is larger than 1 MiB. Pages would be slow with it.`);
}

/** The additional image source for the Content-Security-Policy. */
export const logoCspSource = ({ logo }: Brand): string => (logo && 'url' in logo ? ` ${new URL(logo.url).origin}` : '');

/** Makes a colour readable on the backgrounds of each mode. The background of buttons is the colour itself. */
export function readableColours(color: string): typeof defaultColours {
  const rgb = parseColour(color);
  return {
    light: coloursForMode(rgb, backgrounds.light.map(parseColour), black),
    dark: coloursForMode(rgb, backgrounds.dark.map(parseColour), white),
  };
}

function coloursForMode(rgb: Rgb, [sunken = white, surface = white]: Rgb[], contrastColour: Rgb): BrandColours {
  const onFill = contrast(rgb, white) >= contrast(rgb, black) ? white : black;
  // Away from the colour of the text, so that the text stays readable.
  const fillHover = mix(rgb, onFill === white ? black : white, 0.15);
  let accent = rgb;
  const soft = () => mix(surface, accent, 0.1);
  for (let ratio = 0; ratio <= 1; ratio += 0.02) {
    accent = mix(rgb, contrastColour, ratio);
    if ([sunken, surface, soft()].every((background) => contrast(accent, background) >= minContrast)) break;
  }
  return {
    accent: toHex(accent),
    accentHover: toHex(mix(accent, contrastColour, 0.2)),
    accentSoft: toHex(soft()),
    fill: toHex(rgb),
    fillHover: toHex(fillHover),
    onFill: toHex(onFill),
  };
}

function parseColour(color: string): Rgb {
  const digits = color.slice(1);
  const sixDigits = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const value = Number.parseInt(sixDigits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const toHex = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

const mix = ([r, g, b]: Rgb, [toR, toG, toB]: Rgb, ratio: number): Rgb => [
  r + (toR - r) * ratio,
  g + (toG - g) * ratio,
  b + (toB - b) * ratio,
];

/** WCAG 2.2: relative luminance. */
function luminance(rgb: Rgb): number {
  const [r = 0, g = 0, b = 0] = rgb.map((part) => {
    const ratio = part / 255;
    return ratio <= 0.04045 ? ratio / 12.92 : ((ratio + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}
