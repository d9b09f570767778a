/** `?next=…` for a link that leads on to where the person was going. */
export const nextQuery = (next: string | undefined): string => (next ? `?next=${encodeURIComponent(next)}` : '');
