import type { CreateExtension } from '../../src/main/extension.ts';
import { serveConsole } from './console-routes.ts';

/** Serves the console. Its sources are in `console/`. */
export const createExtension: CreateExtension = () => ({ servePages: serveConsole });
