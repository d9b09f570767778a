export function withoutQuery(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path;
}
