import { isOneOf } from '../../platform/is-one-of.ts';
import type { OptionKind } from './option-kind.ts';

export const icons = [
  ...['bank', 'bell', 'bolt', 'book', 'box', 'building', 'calendar', 'camera', 'car', 'cart', 'chart', 'chat'],
  ...['clock', 'cloud', 'code', 'coffee', 'document', 'flag', 'folder', 'gift', 'heart', 'home', 'image', 'invoice'],
  ...['key', 'leaf', 'link', 'lock', 'mail', 'map', 'medal', 'money', 'music', 'people', 'person', 'phone', 'pin'],
  ...['school', 'settings', 'shield', 'shop', 'star', 'store', 'table', 'tag', 'task', 'tool', 'truck', 'video'],
  'work',
] as const;

/** A named icon, or an emoji. */
export type Icon = (typeof icons)[number] | (string & Record<never, never>);

const isEmoji = (text: string): boolean => /^\p{RGI_Emoji}$/v.test(text);

export const iconName: OptionKind = {
  expected: `an emoji, or one of ${icons.join(', ')}`,
  accepts: (value) => typeof value === 'string' && (isOneOf(icons, value) || isEmoji(value)),
};
