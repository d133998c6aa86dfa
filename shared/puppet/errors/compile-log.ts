import type { SourceLocation } from './puppet-error.ts';

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'err' | 'alert' | 'emerg' | 'crit';

/** One line of the compile log, as `Puppet::Util::Log` would hold it. */
export interface LogEntry extends SourceLocation {
  readonly level: LogLevel;
  readonly message: string;
  /** What said it: `Scope(Class[main])` and the like; absent for Puppet itself. */
  readonly source?: string | undefined;
  readonly issueCode?: string | undefined;
}

/**
 * Collects what a compile says, in order. `once` keys drop repetitions (Puppet.warn_once,
 * deprecations).
 */
export class CompileLog {
  readonly entries: LogEntry[] = [];
  readonly #said = new Set<string>();

  add(entry: LogEntry): void {
    this.entries.push(entry);
  }

  addOnce(key: string, entry: LogEntry): void {
    if (this.#said.has(key)) return;
    this.#said.add(key);
    this.entries.push(entry);
  }
}
