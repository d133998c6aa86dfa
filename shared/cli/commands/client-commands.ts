import { homedir } from 'node:os';
import type { Command } from 'commander';
import type { AwsNames } from '../../store/aws/stores.ts';
import { systemClock } from '../../store/system-clock.ts';
import { GLOBAL_CLIENT_FOLDER } from '../client/client-settings.ts';
import { ProcessTerminal } from '../client/terminal.ts';
import { addAccessCommands } from './access-commands.ts';
import type { CommandProcess } from './compile-options.ts';
import { addQueryCommand } from './inventory/query-command.ts';
import { addAgentsCommands } from './orchestrator/agents-commands.ts';
import { addAppCommand } from './orchestrator/app-command.ts';
import { addJobCommands } from './orchestrator/job-commands.ts';
import { addPlanCommands } from './orchestrator/plan-commands.ts';
import type { JobProcess } from './orchestrator/run-job.ts';
import { addTaskCommands } from './orchestrator/task-commands.ts';
import { onInterrupt } from './run-program.ts';
import { addWatchCommand } from './watch/watch-command.ts';

/** A process that asks services with the user's settings and tokens. */
export interface ClientProcess
  extends CommandProcess,
    Pick<JobProcess, 'folders' | 'terminal' | 'sleep' | 'onInterrupt'> {}

async function openProcessScreen() {
  if (process.stdout.isTTY !== true) return null;
  const { ProcessScreen } = await import('../client/screen.ts');
  return new ProcessScreen();
}

/**
 * Adds `access`, `query`, `watch` and the commands for the orchestrator, for who runs this process;
 * returns what further commands for services need.
 */
export function addClientCommands(program: Command, context: CommandProcess, variables: AwsNames): ClientProcess {
  const folders = { home: homedir(), global: GLOBAL_CLIENT_FOLDER };
  const process = { ...context, terminal: new ProcessTerminal(), folders };
  addAccessCommands(program, { ...process, variables });
  const jobs = { ...process, sleep: systemClock.sleep, onInterrupt };
  addJobCommands(program, jobs);
  addTaskCommands(program, jobs);
  addPlanCommands(program, jobs);
  addAppCommand(program, jobs);
  addAgentsCommands(program, jobs);
  addQueryCommand(program, process);
  addWatchCommand(program, { ...jobs, openScreen: openProcessScreen, quit: () => globalThis.process.exit() });
  return jobs;
}
