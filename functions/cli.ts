#!/usr/bin/env node
/**
 * The command `understudy`. Compiled code of our files is cached beside the installed packages for
 * the next command. Where that folder cannot be written, every command compiles the sources again.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'understudy'));
await import('./commands.ts');
