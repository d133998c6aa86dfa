import { Argument, type Command } from 'commander';
import { describeProgram } from '../manual/describe-program.ts';
import { type CompletedShell, printCompletion, SHELLS } from '../manual/print-completion.ts';

/** Adds `completion`, which knows the commands that `program` has when it runs. */
export function addCompletionCommand(program: Command, print: (text: string) => Promise<void>): void {
  program
    .command('completion')
    .description('print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: CompletedShell) => print(printCompletion(describeProgram(program), shell)));
}
