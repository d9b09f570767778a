import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Colours text on a terminal. Respects NO_COLOR and FORCE_COLOR. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

/** Like `paint`, for standard error. */
export const paintError = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr });

/** Styles by column name and value, for states that need attention. */
const states = new Map<string, Style>([
  ['disabled true', 'red'],
  ['confirmed false', 'yellow'],
  ['state signing', 'green'],
  ['state published', 'yellow'],
]);

/** A known state in its colour, any other value unchanged. */
export function paintState(name: string, text: string): string {
  const style = states.get(`${name} ${text}`);
  return style ? paint(style, text) : text;
}
