#!/usr/bin/env node
/** `npm start`, with its compiled code kept for the next start. */
import { keepCompiledCode } from '../shared/cli/start-image/compile-cache.ts';
import { delayOptimisation } from '../shared/util/delay-optimisation.ts';

// First: V8 refuses code that was kept under other flags.
delayOptimisation();
keepCompiledCode(process.env);
await import('./serve-locally.ts');
