import { readTelemetrySettings } from './telemetry-settings.ts';

/** Loads OpenTelemetry's packages if the variables enable an export. */
export async function startTelemetry(version: string) {
  const settings = readTelemetrySettings();
  if (!settings) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(settings, version);
}
