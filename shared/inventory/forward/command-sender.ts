import type { InventoryCommand } from '../commands/apply-command.ts';

/** Sends commands to a PuppetDB. */
export interface CommandSender {
  /** Sends one. Throws PuppetdbAway and CommandRejected. */
  send(command: InventoryCommand): Promise<void>;
}

/** PuppetDB is away, or takes nothing of us at present: the same command may succeed later. */
export class PuppetdbAway extends Error {
  override readonly name = 'PuppetdbAway';
}

/** PuppetDB answered with an error that is about the command. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRejected';
  /** Whether PuppetDB said that the command is wrong; else it failed over it. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}
