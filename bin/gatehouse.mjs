#!/usr/bin/env node
// The command `gatehouse`: the sources, run by a Node that is new enough for them.
process.argv.splice(2, 0, 'cli');
await import('../scripts/run.mjs');
