#!/usr/bin/env node
/** The command `understudy`, with its compiled code kept for the next command. */
import { keepCompiledCode } from '../shared/cli/start-image/compile-cache.ts';

keepCompiledCode(process.env);
await import('./commands.ts');
