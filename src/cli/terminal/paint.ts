import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Colour where there is a terminal; NO_COLOR and FORCE_COLOR have their say. */
export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

/** The same for what goes to standard error. */
export const paintError = (style: Style, text: string): string => styleText(style, text, { stream: process.stderr });

/** Styles by column name and value, for states that need attention. */
const states = new Map<string, Style>([
  ['disabled true', 'red'],
  ['confirmed false', 'yellow'],
  ['state signing', 'green'],
  ['state published', 'yellow'],
]);

/** A value that tells a state, in the colour of it; any other as it is. */
export function paintState(name: string, text: string): string {
  const style = states.get(`${name} ${text}`);
  return style ? paint(style, text) : text;
}
