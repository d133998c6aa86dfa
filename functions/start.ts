/**
 * The program of the start image: `compile` and `lookup`. Compiling the example while the image is made leaves the code that
 * a compile runs translated in it. When its sources have changed since, it removes the image and runs the sources.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startupSnapshot } from 'node:v8';
import { Command } from 'commander';
import { allVariables } from '../shared/environment/operator-variables.ts';
import { compileNode } from '../shared/local/compile-command.ts';
import { addCompileCommand } from '../shared/local/compile-options.ts';
import { addLookupCommand } from '../shared/local/lookup-options.ts';
import { runProgram, thisProcess } from '../shared/local/run-program.ts';
import { discardImage, isCurrent, type SourceStamp } from '../shared/local/start-image.ts';

/** Set by what makes the image: the files that it holds. */
declare const START_IMAGE_SOURCES: readonly SourceStamp[];

const ROOT = join(import.meta.dirname, '..');
const WARM_UPS = 3;

for (let round = 0; round < WARM_UPS; round += 1) {
  compileNode({
    certname: 'web01.example.com',
    controlRepo: join(ROOT, 'examples', 'control-repo'),
    environment: 'production',
    facts: join(ROOT, 'examples', 'facts.json'),
    set: [],
    explain: round === 0,
    at: 0,
  });
}

const program = new Command('understudy');
// The variables are those of the process that starts from the image.
const compiling = { ...thisProcess, variables: allVariables(() => process.env) };
addCompileCommand(program, compiling);
addLookupCommand(program, compiling);

startupSnapshot.setDeserializeMainFunction(() => {
  const args = process.argv.slice(1);
  return isCurrent(START_IMAGE_SOURCES) ? runProgram(program, args) : runSources(args);
});

function runSources(args: readonly string[]): void {
  discardImage(ROOT);
  const { status } = spawnSync(process.execPath, [join(ROOT, 'functions', 'cli.ts'), ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
