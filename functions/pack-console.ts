/** Bundles the console's client for a package: where it is installed, there is no esbuild. */
import { join } from 'node:path';
import { buildConsole, PACKED_CONSOLE } from '../shared/console/build/build-console.ts';

const root = join(import.meta.dirname, '..');
await buildConsole({ root, cache: join(root, PACKED_CONSOLE) });
