/**
 * Makes the start image for this Node. The argument is the path where `understudy` finds this Node.
 * A failure prints a line but does not fail the installation: commands then run from the sources.
 */
import { join } from 'node:path';
import { makeStartImage } from '../shared/cli/start-image/make-start-image.ts';

const root = join(import.meta.dirname, '..');
try {
  await makeStartImage({ root, node: process.argv[2] ?? process.execPath, now: Date.now() });
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  const reason = isMissing ? 'esbuild is not installed' : error;
  process.stderr.write(`understudy: no start image was made (${reason}); commands start from the sources\n`);
}
