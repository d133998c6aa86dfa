/**
 * The thread between the frame channel and a native Ruby. It writes frames to the child's standard
 * input and reads lines from its output.
 */
import { spawn } from 'node:child_process';
import { workerData } from 'node:worker_threads';
import { ChannelBroken, RubyEnd } from '../channel.ts';

/** The thread's start parameters. */
export interface ProcessWorkerData {
  readonly channel: SharedArrayBuffer;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly user: ProcessUser | null;
}

/** Numeric ids of a user and a group. */
export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

const PIECE = 1 << 18;
const MOST_ERROR_BYTES = 8192;
const LINE_FEED = 0x0a;

/**
 * Forwards frames. They alternate: after a whole line the child waits, so this thread may block
 * too.
 */
function run({ channel: shared, command, args, env, user }: ProcessWorkerData): void {
  const channel = new RubyEnd(shared);
  let complaint = '';
  const child = spawn(command, args, { env, detached: true, stdio: ['pipe', 'pipe', 'pipe'], ...user });
  channel.reportProcess(child.pid ?? 0);
  const forward = (): void => {
    for (;;) {
      const bytes = channel.read(PIECE);
      child.stdin.write(Uint8Array.from(bytes));
      if (bytes.at(-1) === LINE_FEED) return;
    }
  };
  child.on('error', (error) => channel.fail(error.message));
  child.stdin.on('error', () => undefined);
  child.stderr.on('data', (bytes: Buffer) => {
    complaint = (complaint + bytes.toString('utf8')).slice(-MOST_ERROR_BYTES);
  });
  child.on('close', (code, signal) => channel.break(complaint || `Ruby ended with status ${code ?? signal}`));
  child.stdout.on('data', (bytes: Buffer) => {
    channel.write(bytes);
    if (bytes.at(-1) === LINE_FEED) forward();
  });
  if (child.pid !== undefined) forward();
}

try {
  run(workerData);
} catch (error) {
  if (!(error instanceof ChannelBroken)) throw error;
}
