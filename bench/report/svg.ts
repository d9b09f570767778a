/** Text in an SVG. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Readable on light and on dark pages. */
export const document = (width: number, height: number, title: string, parts: readonly string[]): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escaped(title)}">
<style>text{fill:#24292f}.quiet{fill:#57606a}.grid{stroke:#d0d7de}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#8b949e}.grid{stroke:#30363d}}</style>
<text x="12" y="22" font-size="15" font-weight="600">${escaped(title)}</text>
${parts.join('\n')}
</svg>
`;
