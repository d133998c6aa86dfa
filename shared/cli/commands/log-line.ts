import { isLogged, type LogEntry, type LogLevel } from '../../puppet/errors/compile-log.ts';
import { locationSuffix } from '../../puppet/errors/puppet-error.ts';

const LABELS: Readonly<Record<LogLevel, string>> = {
  debug: 'Debug',
  info: 'Info',
  notice: 'Notice',
  warning: 'Warning',
  err: 'Error',
  alert: 'Alert',
  emerg: 'Emergency',
  crit: 'Critical',
};

/**
 * Formats a log entry as Puppet prints it on a console:
 * `Warning: Scope(Class[main]): message (file: x, line: n)`.
 */
export function logLine(entry: LogEntry): string {
  const { level, source, message, issueCode } = entry;
  // Puppet: only a message with an issue code has its location beside the text rather than in it,
  // lib/puppet/util/log.rb.
  const place = issueCode === undefined ? '' : locationSuffix(entry);
  return [LABELS[level], ...(source === undefined ? [] : [source]), message + place].join(': ');
}

/** The options of a command that prints a compile log. */
export interface LogOptions {
  /** Prints every message; `verbose` prints info and above. The default is notice and above. */
  readonly debug?: boolean;
  readonly verbose?: boolean;
}

/** Formats those entries of a compile log that the options ask for, in order. */
export function printLog(log: readonly LogEntry[], { debug, verbose }: LogOptions): readonly string[] {
  const logLevel = debug ? 'debug' : verbose ? 'info' : 'notice';
  return log.filter(({ level }) => isLogged(level, logLevel)).map(logLine);
}
