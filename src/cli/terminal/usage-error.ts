import { OperatorError } from '../../platform/errors.ts';

/** Wrong usage of a command: exits with 2 and shows the usage. */
export class UsageError extends OperatorError {}
