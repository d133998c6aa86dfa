import type { Clock } from './ports/clock.ts';
import type { NodeChange, NodeChangeLog } from './ports/node-changes.ts';

/** Changes that a turn handles at most. */
const MOST_IN_TURN = 500;
/** Pause between two looks for changes, and the longest after failures in a row. */
const PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;

/** Handles changes of nodes. A turn that fails is repeated: calls may see changes again. */
export interface ChangeConsumer {
  /** The name of its place in the log. */
  readonly name: string;
  /** Handles changes, the oldest first. */
  handleChanges(changes: readonly NodeChange[]): Promise<void>;
  /**
   * Makes a part of the pass over all nodes that is due when the consumer is new or missed changes.
   * `after` is what the last part returned; empty for the first one. Returns null at the end.
   */
  continuePass(after: string): Promise<string | null>;
}

/**
 * Lets the consumer handle the next changes, and a part of its pass if one is due; then records
 * where it is. False when there was nothing to do: that costs three reads of single rows.
 */
export async function followOnce(log: NodeChangeLog, consumer: ChangeConsumer): Promise<boolean> {
  let turn = await log.read(consumer.name, MOST_IN_TURN);
  if (turn.pass === '') {
    await log.follow(consumer.name);
    turn = await log.read(consumer.name, MOST_IN_TURN);
  }
  const { changes, position } = turn;
  if (changes.length === 0 && turn.pass === null) return false;
  if (changes.length > 0) await consumer.handleChanges(changes);
  const pass = turn.pass === null ? null : await consumer.continuePass(turn.pass);
  await log.advance(consumer.name, { position, pass });
  return true;
}

/**
 * Follows the changes until the signal. After a failure it waits, each time twice as long as before
 * up to a minute, and repeats the turn.
 */
export async function keepFollowing(
  log: NodeChangeLog,
  consumer: ChangeConsumer,
  clock: Clock,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  let pause = PAUSE_MS;
  await log.follow(consumer.name).catch(onFailure);
  while (!signal.aborted) {
    const hasWorked = await followOnce(log, consumer).catch((error: unknown) => {
      onFailure(error);
      return null;
    });
    pause = hasWorked === null ? Math.min(2 * pause, LONGEST_PAUSE_MS) : PAUSE_MS;
    if (hasWorked !== true && !signal.aborted) await clock.sleep(pause, signal);
  }
}
