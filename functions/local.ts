#!/usr/bin/env node
/** `npm start`, with its compiled code kept for the next start. */
import { keepCompiledCode } from '../shared/cli/start-image/compile-cache.ts';

keepCompiledCode(process.env);
await import('./serve-locally.ts');
