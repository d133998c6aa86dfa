/**
 * `node functions/pack-console.ts [FILE]`: bundles the console's client for the npm package, or
 * into FILE for a container image: neither has esbuild at run time.
 */
import { join } from 'node:path';
import { buildConsole, PACKED_CONSOLE } from '../shared/console/build/build-console.ts';
import { writeBundle } from '../shared/console/build/bundle-file.ts';

const root = join(import.meta.dirname, '..');
const [file] = process.argv.slice(2);
if (file === undefined) await buildConsole({ root, cache: join(root, PACKED_CONSOLE) });
else writeBundle(file, await buildConsole({ root }));
