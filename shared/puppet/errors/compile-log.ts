import type { SourceLocation } from './puppet-error.ts';

/** From what matters least to what matters most. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'err', 'alert', 'emerg', 'crit'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Whether a log of that level, as the setting `log_level` names it, shows what is said at `level`.
 */
export function isLogged(level: LogLevel, logLevel: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(logLevel);
}

/** Whether Puppet has a level of that name. */
export function isLogLevel(name: string): name is LogLevel {
  return LOG_LEVELS.some((level) => level === name);
}

/** One line of the compile log, as `Puppet::Util::Log` would hold it. */
export interface LogEntry extends SourceLocation {
  readonly level: LogLevel;
  readonly message: string;
  /** The origin of the message, such as `Scope(Class[main])`; absent for Puppet itself. */
  readonly source?: string | undefined;
  readonly issueCode?: string | undefined;
}

/** A point in the log of a compile: numbers of lines and of `once` keys. */
interface LogPosition {
  readonly entries: number;
  readonly said: number;
}

/**
 * Collects the log messages of a compile, in order. A message with a `once` key is logged only once
 * (Puppet.warn_once, deprecations). Messages below `level` are dropped.
 */
export class CompileLog {
  readonly entries: LogEntry[] = [];
  readonly level: LogLevel;
  readonly #said = new Set<string>();
  readonly #disabled: ReadonlySet<string>;

  /** `disabled`: kinds of warnings, in the form that Puppet's setting `disable_warnings` has. */
  constructor(level: LogLevel = 'debug', disabled: readonly string[] = []) {
    this.level = level;
    this.#disabled = new Set(disabled);
  }

  add(entry: LogEntry): void {
    if (isLogged(entry.level, this.level)) this.entries.push(entry);
  }

  /** The present position, for `rewind`. */
  get position(): LogPosition {
    return { entries: this.entries.length, said: this.#said.size };
  }

  /** Forgets what was said after that position. */
  rewind({ entries, said }: LogPosition): void {
    this.entries.length = entries;
    for (const key of [...this.#said].slice(said)) this.#said.delete(key);
  }

  /** Logs an entry once for a key, which begins with the kind of the warning and a blank. */
  addOnce(key: string, entry: LogEntry): void {
    if (this.#said.has(key) || this.#disabled.has(key.split(' ', 1)[0] ?? '')) return;
    this.#said.add(key);
    this.add(entry);
  }
}
