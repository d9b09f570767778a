/** For routes that validate their input themselves, to report every error at once or in the format of an RFC. */
export const noValidation = { validatorCompiler: () => () => true } as const;
