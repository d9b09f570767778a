import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace';
import { standardVariable } from '../../config/config.ts';
import { OperatorError } from '../../platform/errors.ts';
import { standardNumber } from './telemetry-settings.ts';

const samplers = new Map<string, () => Sampler>([
  ['always_on', () => new AlwaysOnSampler()],
  ['always_off', () => new AlwaysOffSampler()],
  ['traceidratio', () => new TraceIdRatioBasedSampler(standardNumber('OTEL_TRACES_SAMPLER_ARG') ?? 1)],
]);
const parentBased = 'parentbased_';

/** Which traces are kept: what OTEL_TRACES_SAMPLER says, and else all that the caller keeps. */
export function readSampler(): Sampler {
  const name = standardVariable('OTEL_TRACES_SAMPLER') || `${parentBased}always_on`;
  const isParentBased = name.startsWith(parentBased);
  const make = samplers.get(isParentBased ? name.slice(parentBased.length) : name);
  if (!make) {
    const known = [...samplers.keys()].flatMap((one) => [one, parentBased + one]);
    throw new OperatorError(`OTEL_TRACES_SAMPLER: got "${name}"; it takes one of: ${known.join(', ')}.`);
  }
  return isParentBased ? new ParentBasedSampler({ root: make() }) : make();
}
