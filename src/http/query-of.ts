/** The parameters of the query string. The server parses each parameter as one string. */
export const queryOf = ({ query }: { readonly query: unknown }) => query as Record<string, string>;

export const paramsOf = ({ params }: { readonly params: unknown }) => params as Record<string, string>;
