import { readFileSync } from 'node:fs';
import { digestSha256 } from '../../util/digest.ts';

/** The name of the program that nodes without pxp-agent run; see docs/runner.md. */
export const RUNNER_FILE = 'understudy-runner.rb';

interface RunnerProgram {
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** `1.0.0` */
  readonly version: string;
}

/** Reads the program: the file beside this one; in a bundle, beside the code. */
export function readRunnerProgram(): RunnerProgram {
  const bytes = readFileSync(new URL(`./${RUNNER_FILE}`, import.meta.url));
  const version = /^ {2}VERSION = '([^']+)'$/m.exec(bytes.toString())?.[1];
  if (version === undefined) throw new Error(`${RUNNER_FILE} names no version`);
  return { bytes, sha256: digestSha256(bytes), version };
}
