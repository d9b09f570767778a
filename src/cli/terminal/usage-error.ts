import { OperatorError } from '../../platform/errors.ts';

/** The command was called wrongly: it exits with 2, and says what would be right. */
export class UsageError extends OperatorError {}
