/** What every service of the benchmark is started with. */
export const firstPartyClient = { id: 'bench-web', secret: 'a secret of the benchmark' };
export const administrator = { email: 'admin@example.com', password: 'correct horse battery' };
