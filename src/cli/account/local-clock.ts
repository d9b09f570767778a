/** The clock of the machine that a command runs on, which may be no machine of the service's. */
export const localNow = (): number => Date.now();
