/** For routes whose own rules validate: they report every error, or use the form that an RFC requires. */
export const noValidation = { validatorCompiler: () => () => true } as const;
