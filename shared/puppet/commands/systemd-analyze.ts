import { normalizeCalendarEvent } from './calendar-event.ts';
import { InvalidCalendarEvent } from './calendar-event-model.ts';
import type { ComputedOutcome } from './pure-command.ts';

/** systemd adds a hint for what may be a time stamp or span: it has digits or is a word. */
const POSSIBLE_TIME = /\d|^(?:now|today|yesterday|tomorrow|infinity)$/i;

/**
 * Computes `systemd-analyze calendar EXPRESSION` of systemd 252; null with other arguments.
 *
 * Differs from Puppet: the output ends after the normalized form. The times of the next elapse
 * change from one compile to the next.
 */
export function runSystemdAnalyze([verb, ...args]: readonly string[]): ComputedOutcome | null {
  const [event = '', ...more] = args[0] === '--' ? args.slice(1) : args;
  if (verb !== 'calendar' || args.length === 0 || more.length > 0 || event.startsWith('-')) return null;
  try {
    const normalized = normalizeCalendarEvent(event);
    if (normalized === null) return null;
    const original = normalized === event ? '' : `  Original form: ${event.trimEnd()}\n`;
    return { stdout: `${original}Normalized form: ${normalized}\n`, stderr: '', status: 0 };
  } catch (error) {
    if (!(error instanceof InvalidCalendarEvent)) throw error;
    if (POSSIBLE_TIME.test(event)) return null;
    const reason = `Failed to parse calendar specification '${event}': ${error.message}`;
    return { stdout: '', stderr: `${reason}\n`, status: 1 };
  }
}
