#!/usr/bin/env node
/** The command `understudy`, with its compiled code kept for the next command. */
import { keepCompiledCode } from '../shared/cli/start-image/compile-cache.ts';

keepCompiledCode(process.env);
if (process.argv[2] === 'server') {
  process.argv.splice(2, 1);
  await import('./serve-locally.ts');
} else {
  await import('./commands.ts');
}
