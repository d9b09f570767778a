/**
 * For routes whose schemas only describe. Rules of their own judge what is sent there: they name all that is wrong, or answer in
 * the form that an RFC asks for.
 */
export const noValidation = { validatorCompiler: () => () => true } as const;
