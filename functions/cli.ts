#!/usr/bin/env node
/**
 * `understudy`. The machine code that Node makes of our files is kept beside the installed
 * packages, for this user's next command; where that folder can't be written, every command starts
 * from the sources.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'understudy'));
await import('./commands.ts');
