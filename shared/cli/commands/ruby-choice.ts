import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { createProcessRuby, processWeaknesses } from '../../puppet/ruby/process/process-host.ts';
import type { ProcessUser } from '../../puppet/ruby/process/process-worker.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';

/** The host that runs the Ruby code of modules. */
export interface RubyChoice {
  readonly host: 'wasm' | 'process';
  /** The user of a Ruby process; null for the user of the server. */
  readonly user: ProcessUser | null;
  /** The most memory of Ruby, in bytes; null for that of the host. */
  readonly memoryLimitBytes: number | null;
  /** Names of commands that code in a Ruby process may start; default none. */
  readonly commands?: readonly string[] | undefined;
}

/** The environment of a Ruby process: the search path, and UTF-8 as its encoding. */
export function rubyVariables(path: string | undefined): Readonly<Record<string, string>> {
  return { PATH: path ?? '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };
}

/** Starts a Ruby host. `path`: where a process host looks for `ruby`. */
export function createRuby(choice: RubyChoice, path: string | undefined): RubyPort & { close(): void } {
  const { host, user, memoryLimitBytes, commands = [] } = choice;
  const limit = memoryLimitBytes === null ? {} : { memoryLimitBytes };
  if (host === 'wasm') return createWasmRuby(limit);
  return createProcessRuby({ env: rubyVariables(path), ...(user ? { user } : {}), commands, ...limit });
}

/**
 * Returns the warnings that an operator gets about the choice. `uid`: the user of this process.
 * Throws StoreRefused when the choice requires root.
 */
export function rubyWarnings({ host, user }: Omit<RubyChoice, 'memoryLimitBytes'>, uid: number): readonly string[] {
  if (host === 'wasm') return [];
  if (user && uid !== 0 && user.uid !== uid)
    throw new StoreRefused('only root can run Ruby as another user (--ruby-user)');
  return processWeaknesses(user ? { user } : {}, uid).map((text) => `Ruby runs in a process: ${text}`);
}
