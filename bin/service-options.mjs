/**
 * The Node options of the service. By default, V8 starts with 1 MB for new objects and grows it only if many of them survive. Objects of
 * requests do not survive, so V8 would collect garbage hundreds of times per second (docs/performance.md).
 */
export const serviceOptions = ['--min-semi-space-size=16'];
