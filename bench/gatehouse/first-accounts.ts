/** The accounts and clients that every service of the benchmark starts with. */
export const firstPartyClient = { id: 'bench-web', secret: 'a secret of the benchmark' };
export const administrator = { email: 'admin@example.com', password: 'correct horse battery' };
