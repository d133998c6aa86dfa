import { COMMAND_VERSIONS } from '../../inventory/commands/apply-command.ts';
import type { CommandQueue } from '../../inventory/commands/command-queue.ts';
import { QueueFull } from '../../inventory/commands/queue-room.ts';
import { DatabaseUnavailable } from '../../inventory/database/inventory-database.ts';
import { drawUuid } from '../../store/system-secrets.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { OrchestratorError } from './orchestrator-error.ts';

/** A command in the form of PuppetDB's command API. */
export interface InventoryCommandRequest {
  /** Such as `deactivate node`, or `deactivate_node`. */
  readonly command: string;
  readonly version: number;
  /** JSON of an object with `certname`. */
  readonly payload: string;
}

/** Takes commands of plans. */
export interface InventoryCommands {
  /** Stores a command, to be applied soon. Returns a uuid. Rejects with OrchestratorError. */
  send(request: InventoryCommandRequest): Promise<string>;
}

const MOST_BYTES = 8 * 1024 * 1024;
const FAILED = 'Failed to invoke PuppetDB command';

/** Sends commands to the queue of an inventory. */
export class QueuedCommands implements InventoryCommands {
  readonly #queue: Pick<CommandQueue, 'enqueue'>;

  constructor(queue: Pick<CommandQueue, 'enqueue'>) {
    this.#queue = queue;
  }

  async send({ command: given, version, payload: text }: InventoryCommandRequest): Promise<string> {
    const command = given.replaceAll('_', ' ');
    const versions = COMMAND_VERSIONS.get(command);
    const payload: unknown = JSON.parse(text);
    const certname = isJsonObject(payload) ? payload.certname : null;
    if (versions === undefined) {
      throw refuse(`the command must be one of ${[...COMMAND_VERSIONS.keys()].join(', ')}, not '${given}'`);
    }
    if (version < versions.oldest) {
      throw refuse(`version ${version} of '${command}' is retired; the oldest is ${versions.oldest}`);
    }
    if (typeof certname !== 'string' || certname.trim() === '') {
      throw refuse('the certname must be a text that is not empty');
    }
    const bytes = new TextEncoder().encode(text);
    if (bytes.byteLength > MOST_BYTES) throw refuse(`the payload has more than ${MOST_BYTES} bytes`);
    try {
      await this.#queue.enqueue({ command, version, certname, payload: bytes });
      return drawUuid();
    } catch (error) {
      if (error instanceof QueueFull || error instanceof DatabaseUnavailable) throw refuse(error.message);
      throw error;
    }
  }
}

function refuse(reason: string): OrchestratorError {
  return new OrchestratorError('puppetdb-error', `${FAILED}: ${reason}`);
}
