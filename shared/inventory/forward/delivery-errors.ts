import type { InventoryCommand } from '../commands/apply-command.ts';

/** The receiver is away, or takes nothing of us at present: the same may succeed later. */
export class ReceiverAway extends Error {
  override readonly name = 'ReceiverAway';
}

/** The receiver answered with an error that may be about what was sent. */
export class DeliveryRejected extends Error {
  override readonly name = 'DeliveryRejected';
  /** Whether the receiver said that it is wrong; else it failed over it. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Failures of the receiver over one message before it is a dead letter. */
export const MOST_DELIVERY_FAILURES = 10;

/** Sends commands to a PuppetDB. */
export interface CommandSender {
  /** Sends one. Throws ReceiverAway and DeliveryRejected. */
  send(command: InventoryCommand): Promise<void>;
}
