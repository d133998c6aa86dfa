/**
 * The program of the start image: `compile` and `lookup`. It compiles the example while the image
 * is made, so that the image contains the compiled code of a compile. If the sources have changed
 * since, it deletes the image and runs the sources.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startupSnapshot } from 'node:v8';
import type { Command } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { addCompileCommand, type CompilingProcess } from '../shared/cli/commands/compile-options.ts';
import { addLookupCommand } from '../shared/cli/commands/lookup-options.ts';
import { newProgram, runProgram, thisProcess } from '../shared/cli/commands/run-program.ts';
import { addExamples } from '../shared/cli/manual/examples.ts';
import { discardImage, isCurrent, type SourceStamp } from '../shared/cli/start-image/start-image.ts';
import { allVariables } from '../shared/puppet/environment/operator-variables.ts';

/** Set by the build of the image: the source files that it contains. */
declare const START_IMAGE_SOURCES: readonly SourceStamp[];

const ROOT = join(import.meta.dirname, '..');
const WARM_UPS = 3;

const program = programOf({ ...thisProcess, variables: allVariables(() => process.env) });

startupSnapshot.setDeserializeMainFunction(async () => {
  const args = process.argv.slice(1);
  if (isCurrent(START_IMAGE_SOURCES)) await runProgram(program, args);
  else runSources(args);
  // All output is written. Tearing down the heap would only take time.
  process.exit();
});

void warmUp();

/**
 * Creates the commands. `compiling` is the process that starts from the image, or the one that
 * warms it up.
 */
function programOf(compiling: CompilingProcess): Command {
  const commands = newProgram(packageFile.version);
  addCompileCommand(commands, compiling);
  addLookupCommand(commands, compiling);
  addExamples(commands);
  return commands;
}

async function warmUp(): Promise<void> {
  const none = async () => undefined;
  const unheard = { print: none, warn: none, exit: none, now: () => 0, variables: allVariables(() => ({})) };
  const commands = programOf(unheard);
  const example = [
    '--control-repo',
    join(ROOT, 'examples', 'control-repo'),
    '--facts',
    join(ROOT, 'examples', 'facts.json'),
  ];
  const run = (args: readonly string[]) => commands.parseAsync(args, { from: 'user' });
  for (let round = 0; round < WARM_UPS; round += 1) {
    isCurrent(START_IMAGE_SOURCES);
    await run(['compile', 'web01.example.com', ...example]);
    await run(['compile', 'web01.example.com', '--explain', ...example]);
    await run(['lookup', 'role', '--node', 'web01.example.com', ...example]);
  }
}

function runSources(args: readonly string[]): void {
  discardImage(ROOT);
  const { status } = spawnSync(process.execPath, [join(ROOT, 'functions', 'cli.ts'), ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
