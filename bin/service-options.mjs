/**
 * How Node runs the service. V8 would start with room for 1 MB of new objects and make it larger only where many of them
 * live on, which requests do not: it would collect garbage hundreds of times a second (docs/performance.md).
 */
export const serviceOptions = ['--min-semi-space-size=16'];
