/** The service may have compiled a pattern without `u` or with `v`. Then it may be invalid here, and only the service checks it. */
export function compilePattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}
