import { setSamples } from '../../src/http/openapi/openapi.ts';
import type { CreateExtension } from '../../src/main/extension.ts';
import { serveReference } from './reference-routes.ts';

/** The API reference at `/docs`, and the code samples in the OpenAPI document. The first request loads the code that writes them. */
export const createExtension: CreateExtension = () => ({
  beforeRoutes: (app) => void setSamples(app, async () => (await import('./code-samples.ts')).codeSamples),
  servePages: serveReference,
});
