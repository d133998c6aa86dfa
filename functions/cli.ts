#!/usr/bin/env node
/** The command `understudy`. It caches compiled code, so that the next command starts faster. */
import { keepCompiledCode } from '../shared/cli/start-image/compile-cache.ts';

keepCompiledCode(process.env);
await import('./commands.ts');
