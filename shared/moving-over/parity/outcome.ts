import type { LogEntry } from '../../puppet/errors/compile-log.ts';
import { PuppetError, type SourceLocation } from '../../puppet/errors/puppet-error.ts';
import type { OutcomeError, OutcomeLog } from './parity-case.ts';

interface Failure extends SourceLocation {
  readonly message: string;
  readonly basic?: string | undefined;
  readonly issueCode?: string | undefined;
}

export function outcomeError({ message, basic, issueCode, file, line, pos }: Failure): OutcomeError {
  return {
    message,
    ...(basic !== undefined && { basic }),
    ...(issueCode !== undefined && { issue_code: issueCode }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(pos !== undefined && { pos }),
  };
}

/**
 * Converts a thrown value to the error of an outcome. An error that is not the user's includes its
 * origin.
 */
export function describeThrown(error: unknown): OutcomeError {
  if (error instanceof PuppetError) {
    const { message, basic, issueCode, location } = error;
    return outcomeError({ message, basic, issueCode, ...location });
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: `defect: ${text.split('\n').slice(0, 6).join('\n')}` };
}

/**
 * Returns the log of an outcome, without entries that only a debug run shows and without a second
 * copy of the error.
 */
export function outcomeLogs(entries: readonly LogEntry[], source: string, error: OutcomeError | null): OutcomeLog[] {
  const showsDebug = /\bdebug\b/.test(source);
  return entries
    .filter((entry) => isShown(entry, showsDebug) && !(error && entry.level === 'err' && isCopy(entry, error)))
    .map(({ level, source: speaker, ...rest }) => ({
      level,
      ...outcomeError(rest),
      ...(speaker !== undefined && { source: speaker }),
    }));
}

function isShown({ level, source, message }: LogEntry, showsDebug: boolean): boolean {
  if (level === 'debug') return showsDebug && /Scope|Class|main/i.test(source ?? '');
  return level !== 'info' || !/^Caching|Loading facts|Using/.test(message);
}

function isCopy(entry: LogEntry, error: OutcomeError): boolean {
  return error.message.startsWith(entry.message) || entry.message.startsWith(error.message);
}
