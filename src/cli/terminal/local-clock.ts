/** The clock of this machine, which may not be the machine of the service. */
export const localNow = (): number => Date.now();
