export const isOneOf = <T>(values: readonly T[], value: unknown): value is T => values.includes(value as T);
