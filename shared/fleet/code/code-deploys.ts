import type { Author } from '../../access/accounts/account.ts';
import { changeDocument } from '../../store/change-document.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import { messageOf } from '../../util/message-of.ts';
import { settleEnvironment } from '../fan-out/settle-environment.ts';
import type { CodeSource } from './code-source.ts';
import { type Preparation, type PreparedEnvironment, switchEnvironment } from './deploy.ts';
import { NoSuchEnvironment, type ScanOptions } from './scan-environment.ts';
import { storeUploadedCode, type UploadedCode, type UploadPorts } from './uploaded-code.ts';

/** Collection of deploys requested over HTTP. Keys are padded numbers, so they list in order. */
const DEPLOYS = 'code-deploys';
const COUNTER = 'code-deploy-counter';
const MOST_KEPT = 200;
const DIGITS = 12;
/** Age at which an unfinished deploy counts as dead in AWS: Lambda's time limit. */
const LONGEST_MS = 15 * 60_000;
const ABANDONED = 'the process that deployed it ended before the code was in force';

type DeployStatus = 'deploying' | 'complete' | 'failed';

/** One deploy of one environment. */
export interface CodeDeploy {
  readonly id: number;
  readonly environment: string;
  readonly status: DeployStatus;
  /** When it was requested. */
  readonly at: number;
  readonly by: string;
  /** The deployed code; null when the deploy failed. */
  readonly codeId: string | null;
  /** The error; null without one. */
  readonly error: string | null;
  /** Whether only canary nodes have the code yet, because the environment's policy says so. */
  readonly isStaged: boolean;
  /** The process that runs the deploy; null where processes are unknown. */
  readonly holder: string | null;
}

interface DeployLog {
  logError(message: string, cause: unknown): void;
}

/** Originator of a deploy, as shown and as a user; `author` is absent for a command. */
export interface DeployedBy {
  readonly by: string;
  readonly author?: Author;
}

/** Begins a staged deploy (canary nodes first) if a policy demands it; returns whether it did. */
type StageRule = (
  code: Pick<EnvironmentRecord, 'codeId'> & DeployedBy & { readonly environment: string },
) => Promise<boolean>;

/** The preparation of a deploy, and the rule that decides whether it is staged. */
interface DeployRules extends Preparation {
  /** Absent: no deploy is staged. */
  readonly stage?: StageRule;
}

/** Runs the deploys that pipelines request. Each has a number and a stored result. */
export class CodeDeploys {
  readonly source: CodeSource;
  readonly #ports: UploadPorts;
  readonly #log: DeployLog;
  readonly #prepare: DeployRules;

  /** `prepare`: its precomputed data is for uploaded code, its gate and stage rule for all code. */
  constructor(ports: UploadPorts, source: CodeSource, log: DeployLog, prepare: DeployRules = {}) {
    this.#prepare = prepare;
    this.#ports = ports;
    this.source = source;
    this.#log = log;
  }

  /**
   * Deploys the newest code of the environment; compilers see it when this resolves. With `wait` it
   * resolves when all affected nodes are invalidated. Without it, invalidation continues in the
   * background, and the feeder completes it if this process ends. If the
   * environment's policy demands a staged deploy, the deploy is complete when the canary nodes are
   * invalidated; `forAll` overrides the policy.
   */
  async deploy(environment: string, { by, author }: DeployedBy, wait: boolean, forAll = false): Promise<CodeDeploy> {
    const started: CodeDeploy = {
      id: await this.#nextId(),
      environment,
      status: 'deploying',
      at: this.#ports.clock.now(),
      by,
      codeId: null,
      error: null,
      isStaged: false,
      holder: this.#ports.processes?.self ?? null,
    };
    await this.#store(started);
    try {
      const { codeId } = await this.source.prepare(environment);
      await this.#prepare.gate?.(environment, codeId);
      if (!forAll && (await this.#prepare.stage?.({ environment, codeId, by, ...(author && { author }) }))) {
        const staged: CodeDeploy = { ...started, codeId, isStaged: true, status: 'complete' };
        await this.#store(staged);
        return staged;
      }
      await switchEnvironment(this.#ports, environment, codeId, by);
      const switched = { ...started, codeId };
      await this.#store(switched);
      const settled = this.#settle(switched);
      return wait ? await settled : switched;
    } catch (error) {
      if (!(error instanceof NoSuchEnvironment))
        this.#log.logError(`Environment ${environment} was not deployed`, error);
      const failed: CodeDeploy = { ...started, status: 'failed', error: messageOf(error) };
      await this.#store(failed);
      return failed;
    }
  }

  /** Runs the gate for stored code that others put in force. Throws what the gate throws. */
  async check(environment: string, codeId: string): Promise<void> {
    await this.#prepare.gate?.(environment, codeId);
  }

  /** Stores an environment for a later deploy; see `storeUploadedCode`. Throws InvalidArchive. */
  upload(
    environment: string,
    archive: ReadableStream<Uint8Array>,
    by: string,
    scan: ScanOptions = {},
  ): Promise<UploadedCode & PreparedEnvironment> {
    return storeUploadedCode(this.#ports, environment, archive, by, this.#prepare, scan);
  }

  /** The stored deploys, newest first. */
  async list(): Promise<readonly CodeDeploy[]> {
    const { documents, environments } = this.#ports;
    const found = await documents.list(DEPLOYS, '', MOST_KEPT * 2);
    const inForce = new Map((await environments.list()).map((record) => [record.name, record]));
    return found.map(({ document }) => this.#addOutcome(readDeploy(document), inForce)).reverse();
  }

  /** Returns a deploy; null when the number is unknown or the deploy was deleted. */
  async get(id: number): Promise<CodeDeploy | null> {
    const document = await this.#ports.documents.get(DEPLOYS, keyOf(id));
    if (!document) return null;
    const deploy = readDeploy(document);
    const record = await this.#ports.environments.get(deploy.environment);
    return this.#addOutcome(deploy, new Map(record ? [[record.name, record]] : []));
  }

  /** Lists the environments with the code in force. */
  inForce(): Promise<readonly EnvironmentRecord[]> {
    return this.#ports.environments.list();
  }

  /**
   * Determines the outcome of a deploy whose process ended. After the switch it is complete once
   * another process invalidated the nodes; before the switch it has failed.
   */
  #addOutcome(deploy: CodeDeploy, environments: ReadonlyMap<string, EnvironmentRecord>): CodeDeploy {
    if (deploy.status !== 'deploying') return deploy;
    if (deploy.codeId === null)
      return this.#isDead(deploy) ? { ...deploy, status: 'failed', error: ABANDONED } : deploy;
    const record = environments.get(deploy.environment);
    return record && record.settled >= record.revision ? { ...deploy, status: 'complete' } : deploy;
  }

  #isDead({ holder, at }: CodeDeploy): boolean {
    const { processes, clock } = this.#ports;
    return processes && holder !== null ? processes.hasEnded(holder) : at < clock.now() - LONGEST_MS;
  }

  async #settle(switched: CodeDeploy): Promise<CodeDeploy> {
    try {
      const { isSettled } = await settleEnvironment(switched.environment, this.#ports);
      // Other processes are still invalidating nodes.
      if (!isSettled) return switched;
      const complete: CodeDeploy = { ...switched, status: 'complete' };
      await this.#store(complete);
      return complete;
    } catch (error) {
      // The code is in force; the feeder will invalidate the nodes.
      this.#log.logError(`The deploy of environment ${switched.environment} has not invalidated all nodes yet`, error);
      return switched;
    }
  }

  async #store(deploy: CodeDeploy): Promise<void> {
    await this.#ports.documents.put(DEPLOYS, keyOf(deploy.id), { ...deploy });
  }

  async #nextId(): Promise<number> {
    const { documents } = this.#ports;
    const stored = await changeDocument(documents, COUNTER, 'last', (last) => ({ id: Number(last?.id ?? 0) + 1 }));
    const id = Number(stored?.id);
    if (id > MOST_KEPT) await documents.delete(DEPLOYS, keyOf(id - MOST_KEPT));
    return id;
  }
}

function readDeploy(document: Readonly<Record<string, unknown>>): CodeDeploy {
  const { id, environment, status, at, by, codeId, error, isStaged, holder } = document;
  return {
    id: Number(id),
    environment: String(environment),
    status: status === 'complete' || status === 'failed' ? status : 'deploying',
    at: Number(at),
    by: String(by),
    codeId: typeof codeId === 'string' ? codeId : null,
    error: typeof error === 'string' ? error : null,
    isStaged: isStaged === true,
    holder: typeof holder === 'string' ? holder : null,
  };
}

function keyOf(id: number): string {
  return String(id).padStart(DIGITS, '0');
}
