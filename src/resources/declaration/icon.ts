export const icons = [
  ...['bank', 'bell', 'bolt', 'book', 'box', 'building', 'calendar', 'camera', 'car', 'cart', 'chart', 'chat'],
  ...['clock', 'cloud', 'code', 'coffee', 'document', 'flag', 'folder', 'gift', 'heart', 'home', 'image', 'invoice'],
  ...['key', 'leaf', 'link', 'lock', 'mail', 'map', 'medal', 'money', 'music', 'people', 'person', 'phone', 'pin'],
  ...['school', 'settings', 'shield', 'shop', 'star', 'store', 'table', 'tag', 'task', 'tool', 'truck', 'video'],
  'work',
] as const;

/** A named icon, or an emoji. */
export type Icon = (typeof icons)[number] | (string & Record<never, never>);
