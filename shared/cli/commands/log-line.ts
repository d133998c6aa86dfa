import type { LogEntry, LogLevel } from '../../puppet/errors/compile-log.ts';
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
