import type { Telemetry } from './telemetry.ts';
import { readTelemetrySettings } from './telemetry-settings.ts';

/** Does nothing, and loads nothing, unless OpenTelemetry's variables ask for it. To be called before the database is opened. */
export async function startTelemetry(version: string): Promise<Telemetry | undefined> {
  const settings = readTelemetrySettings();
  if (!settings) return undefined;
  const { openTelemetry } = await import('./open-telemetry.ts');
  return openTelemetry(settings, version);
}
