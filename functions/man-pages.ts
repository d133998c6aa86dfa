/** Writes a man page for each command, and the shells' completion scripts, to dist/man. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { describeProgram } from '../shared/cli/manual/describe-program.ts';
import { printCompletion, SHELLS } from '../shared/cli/manual/print-completion.ts';
import { printManPages } from '../shared/cli/manual/print-man-page.ts';
import { createProgram } from './program.ts';

const folder = join(import.meta.dirname, '..', 'dist', 'man');
const program = describeProgram(createProgram());
const pages = printManPages(program, packageFile.version);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { file, text } of pages) writeFileSync(join(folder, file), text);
for (const shell of SHELLS) writeFileSync(join(folder, `completion.${shell}`), printCompletion(program, shell));
process.stdout.write(`dist/man: ${pages.length} pages\n`);
