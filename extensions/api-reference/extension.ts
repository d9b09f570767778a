import type { CreateExtension } from '../../src/main/extension.ts';
import { serveReference } from './reference-routes.ts';

/** The API reference at `/docs`. The first request loads the code that writes the pages. */
export const createExtension: CreateExtension = () => ({ servePages: serveReference });
