import { InvalidArgumentError } from 'commander';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { createProcessRuby, processWeaknesses } from '../../puppet/ruby/process/process-host.ts';
import type { ProcessUser } from '../../puppet/ruby/process/process-worker.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';

/** Which Ruby runs the Ruby code of modules. */
export interface RubyChoice {
  readonly host: 'wasm' | 'process';
  /** Whom a process runs as; null for the user of the server. */
  readonly user: ProcessUser | null;
}

/** What of an environment a Ruby process gets: where `ruby` is, and that texts are UTF-8. */
export function rubyVariables(path: string | undefined): Readonly<Record<string, string>> {
  return { PATH: path ?? '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };
}

/** `path`: where a process looks for `ruby`. */
export function createRuby({ host, user }: RubyChoice, path: string | undefined): RubyPort & { close(): void } {
  if (host === 'wasm') return createWasmRuby();
  return createProcessRuby({ env: rubyVariables(path), ...(user ? { user } : {}) });
}

/** Reads `UID:GID`. */
export function readProcessUser(text: string): ProcessUser {
  const [, uid, gid] = /^(\d{1,9}):(\d{1,9})$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined) throw new InvalidArgumentError('It must be two numbers, UID:GID.');
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * What an operator is told of the choice. `uid`: that of this process. Throws StoreRefused when
 * only root could make it.
 */
export function rubyWarnings({ host, user }: RubyChoice, uid: number): readonly string[] {
  if (host === 'wasm') return [];
  if (user && uid !== 0 && user.uid !== uid)
    throw new StoreRefused('only root can run Ruby as another user (--ruby-user)');
  return processWeaknesses(user ? { user } : {}, uid).map((text) => `Ruby runs in a process: ${text}`);
}
