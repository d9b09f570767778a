import type { Engine } from '../database.ts';
import * as postgres from './postgres-triggers.ts';
import * as sqlite from './sqlite-triggers.ts';

/** Triggers record every write, including those of hooks, commands, cascades and plain SQL. */
export const triggersOf = (engine: Engine) => (engine === 'sqlite' ? sqlite : postgres);
