import type { InventoryCommand } from '../commands/apply-command.ts';

/** Sends commands to a PuppetDB. */
export interface CommandSender {
  /** Sends one. Throws ReceiverAway and DeliveryRejected. */
  send(command: InventoryCommand): Promise<void>;
}
