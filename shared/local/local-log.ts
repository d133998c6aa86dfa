import { logLine } from '../cli/commands/log-line.ts';
import type { DeployReport } from '../fleet/code/deploy.ts';
import { compileEntry } from '../fleet/compiles/compile-line.ts';
import type { JobReport } from '../fleet/compiles/job-report.ts';
import type { AccessLog } from '../http/access-log.ts';
import type { RequestLog } from '../http/services.ts';
import { type Clock, StoreRefused, StoreUnavailable } from '../store/ports.ts';
import type { DeployNotes } from './control-repo.ts';
import type { WorkerMessage } from './worker-message.ts';

/** Says in lines what the local server does: deploys, compiles, faults, and whom it denied what. */
export class LocalLog implements RequestLog, DeployNotes {
  readonly #print: (line: string) => void;
  readonly #clock: Clock;

  readonly #access: (entry: object) => void;

  /** `access` is told of each request and each compile. */
  constructor(print: (line: string) => void, clock: Clock, access: (entry: object) => void = () => {}) {
    this.#print = print;
    this.#clock = clock;
    this.#access = access;
  }

  /** Told of each request; an arrow, since whoever has it calls it without the log. */
  readonly access: AccessLog = (entry) => {
    this.#access(entry);
    const { reason, certname, method, path, rule } = entry;
    if (reason !== 'forbidden' && reason !== 'revoked') return;
    const who =
      certname === null ? 'a client without certificate' : `${certname}${reason === 'revoked' ? ' (revoked)' : ''}`;
    this.#say(`denied ${who}: ${method} ${path}${rule === null ? '' : ` (rule '${rule}')`}`);
  };

  deployed({ environment, codeId, files, nodes }: DeployReport): void {
    const told = nodes.length === 0 ? '' : `; out of date: ${nodes.join(', ')}`;
    this.#say(`deployed ${environment}: ${files} files, code_id ${codeId.slice(0, 12)}${told}`);
  }

  removed(environment: string): void {
    this.#say(`removed ${environment}: its folder is gone`);
  }

  kept(environment: string): void {
    this.#say(
      `${environment} stays in force, though the control repo has no folder of it: 'understudy code remove ${environment}' removes it`,
    );
  }

  failed(environment: string, error: unknown): void {
    this.#say(`could not deploy ${environment}: ${messageOf(error)}`);
  }

  worker(message: WorkerMessage): void {
    if (message.kind === 'report') {
      this.#access(compileEntry(message.report, this.#clock.now()));
      this.#job(message.report);
    } else
      this.#say(
        `a job${message.certname === null ? '' : ` of ${message.certname}`} is tried again: ${message.message}`,
      );
  }

  note(line: string): void {
    this.#say(line);
  }

  /** What the operator can mend, by its message; a bug of ours with its stack. */
  error(message: string, cause: unknown): void {
    this.#say(`${message}: ${isMendable(cause) ? cause.message : stackOf(cause)}`);
  }

  #job({ certname, outcome, reasons, durationMs, log, nativeDefects }: JobReport): void {
    for (const defect of nativeDefects) this.#say(`Ruby ran what native code failed at: ${defect} [${certname}]`);
    if (outcome === 'dropped' || outcome === 'superseded') return;
    for (const entry of log) {
      if (entry.level !== 'debug' && entry.level !== 'info') this.#say(`${logLine(entry)} [${certname}]`);
    }
    const time = outcome === 'verified' ? '' : ` in ${durationMs} ms`;
    this.#say(`${outcome} ${certname}${time}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`);
  }

  #say(line: string): void {
    this.#print(`${new Date(this.#clock.now()).toISOString()} ${line}`);
  }
}

/** Whether a store, a file or the network is at fault. */
function isMendable(error: unknown): error is Error {
  if (error instanceof StoreRefused || error instanceof StoreUnavailable) return true;
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
