import { Command } from 'commander';
import { addAgentsCommands } from '../../shared/cli/commands/orchestrator/agents-commands.ts';
import { addAppCommand } from '../../shared/cli/commands/orchestrator/app-command.ts';
import { addJobCommands } from '../../shared/cli/commands/orchestrator/job-commands.ts';
import { addPlanCommands } from '../../shared/cli/commands/orchestrator/plan-commands.ts';
import type { JobProcess } from '../../shared/cli/commands/orchestrator/run-job.ts';
import { addTaskCommands } from '../../shared/cli/commands/orchestrator/task-commands.ts';

/** Runs a command of the orchestrator in this process, and returns what it printed. */
export async function runClientCommand(args: readonly string[], process: Omit<JobProcess, 'print'>): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  const context = { ...process, print: async (text: string) => void printed.push(text) };
  const additions = [addJobCommands, addTaskCommands, addPlanCommands, addAppCommand, addAgentsCommands];
  for (const add of additions) add(program, context);
  await program.parseAsync(args, { from: 'user' });
  return printed.join('');
}
