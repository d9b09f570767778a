/** "1 row", "2 rows". */
export const rowCount = (count: number): string => `${count} ${count === 1 ? 'row' : 'rows'}`;

/** "1 row has no value", "2 rows have no value". `description` begins with a verb in the plural. */
export const rowsThat = (count: number, description: string): string =>
  `${rowCount(count)} ${
    count === 1
      ? description
          .replace(/^have\b/, 'has')
          .replace(/^are\b/, 'is')
          .replace(/^hold\b/, 'holds')
      : description
  }`;
