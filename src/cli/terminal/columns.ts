const usual = 80;

/** How wide a terminal is. One that does not say so has no columns at all, by its own account. */
export const columnsOf = ({ columns }: { readonly columns?: number }): number => columns || usual;
