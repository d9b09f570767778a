/** Undefined if the pattern is only valid without `u`. Then only the service checks it. */
export function compilePattern(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}
