import { InvalidArgumentError } from 'commander';
import { ClientError } from './client-error.ts';
import type { FormatOption } from './option-values.ts';

/** The option of commands whose output can be followed. */
export interface WatchedOutput {
  /** Seconds between two outputs; true: the usual ones. */
  readonly watch?: true | number;
}

export const WATCH_OPTION = [
  '--watch [seconds]',
  'print again every 2 seconds, or as often as given, until CTRL-C',
  readSeconds,
] as const;

/** Parts of the process for following an output. */
interface WatchProcess {
  readonly print: (text: string) => Promise<void>;
  readonly sleep?: (milliseconds: number) => Promise<void>;
  /** Whether the output is a terminal; by default that of this process. */
  readonly isTerminal?: boolean;
}

const USUAL_SECONDS = 2;
const MOST_SECONDS = 3600;
const CLEAR = '\u001b[H\u001b[2J\u001b[3J';

/**
 * Calls `show` once; with `--watch` again and again until the process is interrupted. On a terminal
 * each output replaces the one before; elsewhere an empty line stands between them. Rejects with
 * ClientError for JSON with `--watch`.
 */
export async function repeatPrint(
  { watch, format }: WatchedOutput & Partial<FormatOption>,
  { print, sleep = pause, isTerminal = process.stdout.isTTY === true }: WatchProcess,
  show: (print: (text: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (watch === undefined) return show(print);
  if (format === 'json') throw new ClientError('--watch is for people: --format json prints one document');
  const seconds = watch === true ? USUAL_SECONDS : watch;
  for (let isFirst = true; ; isFirst = false) {
    const texts: string[] = [];
    await show(async (text) => {
      texts.push(text);
    });
    await print(`${isTerminal ? CLEAR : isFirst ? '' : '\n'}${texts.join('')}`);
    await sleep(seconds * 1000);
  }
}

/** Parses the seconds between two outputs. Throws InvalidArgumentError. */
export function readSeconds(text: string): number {
  const seconds = Number(text);
  if (seconds >= 0.1 && seconds <= MOST_SECONDS) return seconds;
  throw new InvalidArgumentError(`It must be seconds from 0.1 to ${MOST_SECONDS}.`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
