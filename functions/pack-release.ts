/** Writes what a package runs: the sources without types, in dist/app. */
import { join } from 'node:path';
import { writeRelease } from '../shared/cli/start-image/write-release.ts';

const root = join(import.meta.dirname, '..');
const count = writeRelease(root, join(root, 'dist', 'app'));
process.stdout.write(`dist/app: ${count} files\n`);
