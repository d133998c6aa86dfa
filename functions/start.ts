/**
 * The program of the start image: `compile` and `lookup`. Compiling the example while the image is
 * made leaves the code that a compile runs translated in it. When its sources have changed since,
 * it removes the image and runs the sources.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startupSnapshot } from 'node:v8';
import type { Command } from 'commander';
import { addCompileCommand, type CompilingProcess } from '../shared/cli/commands/compile-options.ts';
import { addLookupCommand } from '../shared/cli/commands/lookup-options.ts';
import { newProgram, runProgram, thisProcess } from '../shared/cli/commands/run-program.ts';
import { discardImage, isCurrent, type SourceStamp } from '../shared/cli/start-image/start-image.ts';
import { allVariables } from '../shared/puppet/environment/operator-variables.ts';

/** Set by what makes the image: the files that it holds. */
declare const START_IMAGE_SOURCES: readonly SourceStamp[];

const ROOT = join(import.meta.dirname, '..');
const WARM_UPS = 3;

const program = programOf({ ...thisProcess, variables: allVariables(() => process.env) });

startupSnapshot.setDeserializeMainFunction(async () => {
  const args = process.argv.slice(1);
  if (isCurrent(START_IMAGE_SOURCES)) await runProgram(program, args);
  else runSources(args);
  // All is written. To take the heap down takes time and serves nobody.
  process.exit();
});

void warmUp();

/**
 * The commands; `compiling` is the process that starts from the image, or one that only warms it
 * up.
 */
function programOf(compiling: CompilingProcess): Command {
  const commands = newProgram();
  addCompileCommand(commands, compiling);
  addLookupCommand(commands, compiling);
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
