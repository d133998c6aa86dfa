import type { AccessAudit } from '../access/accounts/access-audit.ts';
import { logLine } from '../cli/commands/log-line.ts';
import type { DeployReport } from '../fleet/code/deploy.ts';
import type { CompileJobReport } from '../fleet/compiles/compile-job-report.ts';
import { compileEntry } from '../fleet/compiles/print-report.ts';
import type { AccessLog } from '../http/access-log.ts';
import type { RequestLog } from '../http/services.ts';
import type { Clock } from '../store/ports/clock.ts';
import { StoreRefused, StoreUnavailable } from '../store/ports/store-errors.ts';
import { countUnits } from '../util/count-units.ts';
import { ListenFailed } from '../util/listening.ts';
import { messageOf } from '../util/message-of.ts';
import { shortenId } from '../util/short-id.ts';
import type { DeployObserver } from './control-repo.ts';
import type { WorkerMessage } from './worker-message.ts';

/**
 * Prints what the local server does, one line each: deploys, compiles, faults and denied requests.
 */
export class LocalLog implements RequestLog, DeployObserver {
  readonly #print: (line: string) => void;
  readonly #clock: Clock;

  readonly #access: (entry: object) => void;

  /** `access` receives an entry for each request and each compile. */
  constructor(print: (line: string) => void, clock: Clock, access: (entry: object) => void = () => {}) {
    this.#print = print;
    this.#clock = clock;
    this.#access = access;
  }

  /** Records a request. An arrow function, because callers detach it from the log. */
  readonly access: AccessLog = (entry) => {
    this.#access(entry);
    const { reason, certname, method, path, rule } = entry;
    if (reason !== 'forbidden' && reason !== 'revoked') return;
    const who =
      certname === null ? 'a client without certificate' : `${certname}${reason === 'revoked' ? ' (revoked)' : ''}`;
    this.#printLine(`denied ${who}: ${method} ${path}${rule === null ? '' : ` (rule '${rule}')`}`);
  };

  /** Records a decision about users, tokens and permissions. An arrow function like `access`. */
  readonly audit: AccessAudit = (entry) => {
    this.#access(entry);
    const { event, login, outcome } = entry;
    if (event !== 'log-in' || outcome === 'granted') return;
    this.#printLine(`refused the log-in of ${login ?? 'an unknown user'}: ${outcome}`);
  };

  onDeployed({ environment, codeId, files, nodes, notes = [] }: DeployReport): void {
    const outdated = nodes.length === 0 ? '' : `; out of date: ${nodes.join(', ')}`;
    this.#printLine(`deployed ${environment}: ${countUnits(files, 'file')}, code_id ${shortenId(codeId)}${outdated}`);
    for (const note of notes) this.#printLine(`${environment}: ${note}`);
  }

  onRemoved(environment: string): void {
    this.#printLine(`removed ${environment}: its folder is gone`);
  }

  kept(environment: string): void {
    this.#printLine(
      `${environment} stays in force, although the control repo has no folder for it: 'understudy code remove ${environment}' removes it`,
    );
  }

  onFailed(environment: string, error: unknown): void {
    this.#printLine(`could not deploy ${environment}: ${messageOf(error)}`);
  }

  logWorkerMessage(message: WorkerMessage): void {
    if (message.kind === 'report') {
      this.#access(compileEntry(message.report, this.#clock.now()));
      this.#logCompileJob(message.report);
    } else
      this.#printLine(
        `a job${message.certname === null ? '' : ` of ${message.certname}`} is retried: ${message.message}`,
      );
  }

  logEntry(line: string): void {
    this.#printLine(line);
  }

  /** Logs an error that the operator can fix by its message, and a bug of ours with its stack. */
  logError(message: string, cause: unknown): void {
    this.#printLine(`${message}: ${isMendable(cause) ? cause.message : stackOf(cause)}`);
  }

  #logCompileJob({ certname, outcome, reasons, durationMs, log, nativeDefects }: CompileJobReport): void {
    for (const defect of nativeDefects)
      this.#printLine(`native code failed, so Ruby ran instead: ${defect} [${certname}]`);
    if (outcome === 'dropped' || outcome === 'superseded' || outcome === 'warmed') return;
    for (const entry of log) {
      if (entry.level !== 'debug' && entry.level !== 'info') this.#printLine(`${logLine(entry)} [${certname}]`);
    }
    const time = outcome === 'verified' ? '' : ` in ${durationMs} ms`;
    this.#printLine(`${outcome} ${certname}${time}${reasons.length === 0 ? '' : ` (${reasons.join(', ')})`}`);
  }

  #printLine(line: string): void {
    this.#print(`${new Date(this.#clock.now()).toISOString()} ${line}`);
  }
}

/** Whether a store, a file or the network is at fault. */
function isMendable(error: unknown): error is Error {
  if (error instanceof StoreRefused || error instanceof StoreUnavailable || error instanceof ListenFailed) return true;
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
