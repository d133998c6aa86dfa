import { shaCrypt } from '../ruby-core/sha-crypt.ts';
import { runSystemdEscape } from './systemd-escape.ts';

/** Output and exit status of a command. */
export interface ComputedOutcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

/** Runs a command; null for arguments whose outcome is not known here. */
type PureCommand = (args: readonly string[]) => ComputedOutcome | null;

/**
 * The commands whose outcome depends on their arguments alone, by name. They are computed here and
 * start no process.
 */
export const PURE_COMMANDS: ReadonlyMap<string, PureCommand> = new Map<string, PureCommand>([
  ['basename', (args) => (args.length === 1 && isPlain(args) ? print(baseName(args[0] ?? '')) : null)],
  ['dirname', (args) => (args.length === 1 && isPlain(args) ? print(folderName(args[0] ?? '')) : null)],
  ['echo', (args) => (isPlain(args) ? print(args.join(' ')) : null)],
  ['false', () => ({ stdout: '', stderr: '', status: 1 })],
  ['openssl', runOpenssl],
  ['systemd-escape', runSystemdEscape],
  ['true', () => ({ stdout: '', stderr: '', status: 0 })],
]);

/** The folders in which a command with a path is the system's own. */
const SYSTEM_PATH = /^\/(?:usr\/)?(?:local\/)?s?bin\/([^/]+)$/;

/** The name of the command that a program is; null for a program elsewhere. */
export function commandNameOf(program: string): string | null {
  return program.includes('/') ? (SYSTEM_PATH.exec(program)?.[1] ?? null) : program;
}

/** Computes what a command does; null unless it is one of `PURE_COMMANDS` with known arguments. */
export function computeCommand([program = '', ...args]: readonly string[]): ComputedOutcome | null {
  const name = commandNameOf(program);
  return (name === null ? undefined : PURE_COMMANDS.get(name))?.(args) ?? null;
}

function print(line: string): ComputedOutcome {
  return { stdout: `${line}\n`, stderr: '', status: 0 };
}

/** Whether there are no options; echo of Debian and of BusyBox differ in theirs. */
function isPlain(args: readonly string[]): boolean {
  return args.every((arg) => !arg.startsWith('-') && !arg.includes('\\'));
}

function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? path.slice(0, 1) : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function folderName(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '.' : '/';
  if (!trimmed.includes('/')) return '.';
  return trimmed.slice(0, trimmed.lastIndexOf('/')).replace(/\/+$/, '') || '/';
}

const SALT = /^[./0-9A-Za-z]{1,16}$/;

/** `openssl passwd -5|-6 -salt SALT PASSWORD`; without a salt the outcome is random. */
function runOpenssl(args: readonly string[]): ComputedOutcome | null {
  const [command, scheme = '', option, salt = '', password = '', ...more] = args;
  if (command !== 'passwd' || option !== '-salt' || more.length > 0) return null;
  return crypt(
    new Map<string, 256 | 512>([
      ['-5', 256],
      ['-6', 512],
    ]).get(scheme),
    password,
    salt,
  );
}

function crypt(bits: 256 | 512 | undefined, password: string, salt: string): ComputedOutcome | null {
  const isKnown = password !== '' && !password.startsWith('-') && SALT.test(salt);
  return bits && isKnown ? print(shaCrypt(password, salt, bits)) : null;
}
