/** The candidate closest to a misspelt word by edit distance ignoring case, or undefined when none is close. */
export function closestName(
  word: string,
  candidates: Iterable<string>,
  limit = Math.max(2, Math.floor(word.length / 3)),
): string | undefined {
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The end of an error message about a misspelt word. Empty if no candidate is close. */
export function suggestName(word: string, candidates: Iterable<string>): string {
  const suggestion = closestName(word, candidates);
  return suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
}

const cell = (row: readonly number[], index: number): number => row[index] ?? Infinity;

/** Two adjacent letters in the wrong order count as one mistake. Returns Infinity early if the distance is at least `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let previousRow: number[] = [];
  let previousLowest = 0;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const nextRow = [i];
    let lowest = i;
    for (let j = 1; j <= b.length; j++) {
      const substitute = cell(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? cell(previousRow, j - 2) + 1 : Infinity;
      const distance = Math.min(cell(row, j) + 1, cell(nextRow, j - 1) + 1, substitute, swap);
      nextRow.push(distance);
      if (distance < lowest) lowest = distance;
    }
    // Later rows depend on this row and, if letters are swapped, on the row before it.
    if (lowest >= limit && previousLowest >= limit) return Infinity;
    previousLowest = lowest;
    previousRow = row;
    row = nextRow;
  }
  return cell(row, b.length);
}
