import type { CreateExtension } from '../../src/main/extension.ts';
import { serveConsole } from './console-routes.ts';

/** Serves the files of the console, which `console/` contains. */
export const createExtension: CreateExtension = () => ({ servePages: serveConsole });
