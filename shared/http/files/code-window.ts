import { posix } from 'node:path';
import type { ApiSchema } from '../../api/described-answers.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { FileServer } from './file-server.ts';

/** The lines of a deployed file, as the API shows them. */
export type ShownCode = ApiSchema<'CodeWindow'>;

interface CodeQuestion {
  readonly record: EnvironmentRecord;
  /** Null: the code in force. */
  readonly codeId: string | null;
  /** Relative to the folder of the environment, or absolute below the code directory. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** Lines before and after it. */
  readonly around: number;
}

/** Bytes of a file that is shown; larger ones are archives and the like. */
const MOST_BYTES = 1024 * 1024;
/** Characters of a line that is shown. */
const LONGEST_LINE = 2000;

/** Code that cannot be shown; `isMissing`: there is none. */
export class UnshownCode extends Error {
  override readonly name = 'UnshownCode';
  readonly isMissing: boolean;

  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

/**
 * Reads lines of a file of an environment's code: that in force, staged, or of its history. Throws
 * UnshownCode for code that the environment had not or that was pruned, and for a file that is not
 * there, is no text, or has more than 1 MB.
 */
export async function readCodeWindow(files: FileServer, question: CodeQuestion): Promise<ShownCode> {
  const { record, path, line, around } = question;
  const codeId = question.codeId ?? record.codeId;
  const text = await readText(files, record, codeId, path);
  const lines = text.split('\n');
  // The end of the last line begins no further one.
  if (lines.at(-1) === '') lines.pop();
  const first = Math.max(1, Math.min(line, lines.length) - around);
  const shown = lines.slice(first - 1, Math.min(line, lines.length) + around);
  return {
    environment: record.name,
    codeId,
    isInForce: codeId === record.codeId,
    path,
    first,
    total: lines.length,
    lines: shown.map((one) => (one.length > LONGEST_LINE ? `${one.slice(0, LONGEST_LINE)}…` : one)),
  };
}

async function readText(files: FileServer, record: EnvironmentRecord, codeId: string, path: string): Promise<string> {
  const { name } = record;
  const known = [record.codeId, record.stage?.codeId, ...record.history.map((state) => state.codeId)];
  if (!known.includes(codeId)) {
    throw new UnshownCode(`The code '${codeId}' is neither in force nor in the history of environment '${name}'`, true);
  }
  const opened = await files.openSnapshot(codeId);
  if (opened === null) throw new UnshownCode(`The code '${codeId}' was deleted, because nothing needs it`, true);
  const found = opened.findServed(posix.resolve(opened.environment.root, path), 'follow');
  if (found?.kind !== 'file') throw new UnshownCode(`This code of '${name}' has no file '${path}'`, true);
  if (found.file.size > MOST_BYTES) throw new UnshownCode(`'${path}' has more than 1 MB`, false);
  const text = await files.readText(found.file);
  if (text.includes('\0')) throw new UnshownCode(`'${path}' is no text`, false);
  return text;
}
