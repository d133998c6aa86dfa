import type { Command } from 'commander';
import { ClientError } from './client-error.ts';
import type { Terminal } from './terminal.ts';

/** The option that `withYes` adds. */
export interface Confirmed {
  readonly yes?: boolean;
}

/** Adds `--yes` to a command that asks before it does something. */
export function withYes(command: Command): Command {
  return command.option('--yes', 'do not ask');
}

/**
 * Asks before something that touches more than its command names, or cannot be taken back. `what`
 * says in one sentence what would happen. Throws ClientError when the answer is no, or when there
 * is nobody to ask.
 */
export async function confirm(what: string, { yes = false }: Confirmed, terminal: Terminal): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive) throw new ClientError(`${what}. Nothing was changed; --yes does it without a question`);
  const answer = await terminal.ask(`${what}. Go on? [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new ClientError('nothing was changed');
}
