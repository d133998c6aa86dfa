import type { SeededChance } from '../fuzz/seeded-chance.ts';
import { ChaosLog } from './chaos-log.ts';
import { NodeModel } from './node-model.ts';
import { type Expectation, findFaults, readShownCatalog } from './oracle.ts';
import type { ClientCredentials } from './tls-client.ts';
import { type VersionedFile, VersionedRepo, type Versions } from './versioned-repo.ts';

/** What was done and found; every number but the violations grows with the length of a run. */
export interface ChaosFigures {
  kills: number;
  /** Of these, by SIGABRT. */
  aborts: number;
  /** Kills at a chosen call of a store. */
  killPoints: number;
  faults: number;
  checkIns: number;
  checkInsAcknowledged: number;
  factsPut: number;
  factsAcknowledged: number;
  moves: number;
  movesAcknowledged: number;
  deploys: number;
  deploysAcknowledged: number;
  /** Catalogs that were compared with the model, under fire and at rest. */
  catalogsCompared: number;
  /** Of these, at rest, where the model knows every line. */
  catalogsAtRest: number;
  /** Jobs that injected faults failed as often as a job is tried. */
  deadLetters: number;
  freshCompiles: number;
  /** Catalogs that were asked for again, also of a new process, and must be the same bytes. */
  reserved: number;
  /** The longest time from a start to an open port, in milliseconds. */
  slowestStartMs: number;
  /** The longest time until nothing was outstanding any more, in milliseconds. */
  slowestSettlingMs: number;
}

/** The certificates and the token of a data directory's clients. */
export interface ChaosClients {
  readonly nodes: ReadonlyMap<string, ClientCredentials>;
  readonly administrator: ClientCredentials;
  readonly token: string;
}

/** The line of a job that an injected fault failed: see `FaultyStores`. */
const FAILED_JOB = /a job of (\S+) is retried: .* (?:failed \((?:before|after)\)|broke off)/;
const NODES = 24;
const NODES_WITH_DATA = 8;
const LEAST_GROUPS = 4;
/** A group collects the exports of all its nodes: its size does not grow with the fleet. */
const NODES_A_GROUP = 20;

/** The model of one fleet, and what it should see. */
export class ChaosWorld {
  readonly repo: VersionedRepo;
  readonly nodes: readonly NodeModel[];
  readonly log = new ChaosLog();
  readonly violations: string[] = [];
  readonly figures: ChaosFigures;
  /** Ids of the dead letters that were judged. */
  readonly judgedLetters = new Set<string>();
  /** Whether agents should ask: a restart takes longer than a thousand refused connections. */
  isServerUp = false;
  /** How often injected faults failed a job, by certname. */
  readonly #failedJobs = new Map<string, number>();
  /** The versions that deploys have put in force for certain. */
  #deployed = new Map<VersionedFile, number>();

  constructor(controlRepo: string, figures: ChaosFigures, nodes = NODES) {
    const names = Array.from({ length: nodes }, (_, index) => `n${String(index).padStart(2, '0')}.example.com`);
    const groups = Math.max(LEAST_GROUPS, Math.ceil(nodes / NODES_A_GROUP));
    this.repo = new VersionedRepo(controlRepo, names.slice(0, NODES_WITH_DATA), groups);
    this.nodes = names.map((name, index) => new NodeModel(name, `g${index % groups}`));
    this.figures = figures;
  }

  /** Notes a line that the server printed. */
  noteLine(line: string): void {
    this.log.note(`server: ${line}`);
    const [, certname] = FAILED_JOB.exec(line) ?? [];
    if (certname !== undefined) this.#failedJobs.set(certname, (this.#failedJobs.get(certname) ?? 0) + 1);
  }

  /** How often injected faults failed a job of the node. */
  countFailedJobs(certname: string): number {
    return this.#failedJobs.get(certname) ?? 0;
  }

  get deployed(): Versions {
    return new Map(this.#deployed);
  }

  /** An acknowledged deploy put at least these versions in force. */
  noteDeployed(versions: Versions): void {
    for (const [file, number] of versions) {
      this.#deployed.set(file, Math.max(number, this.#deployed.get(file) ?? 0));
    }
  }

  /** A node that has no request in progress, and is busy now. */
  takeNode(chance: SeededChance): NodeModel | null {
    const idle = this.nodes.filter(({ isBusy }) => !isBusy);
    if (idle.length === 0) return null;
    const node = chance.of(idle);
    node.isBusy = true;
    return node;
  }

  /** Compares a catalog with the model. */
  judge(node: NodeModel, text: string, expected: Expectation): void {
    this.figures.catalogsCompared += 1;
    if (expected.isAtRest) this.figures.catalogsAtRest += 1;
    const faults = findFaults(readShownCatalog(text), node, this.nodes, this.repo, expected);
    for (const fault of faults) this.report(`${node.certname}${expected.isAtRest ? ' at rest' : ''}: ${fault}`);
  }

  report(violation: string): void {
    this.violations.push(violation);
    this.log.note(`VIOLATION ${violation}`);
  }
}

export function createFigures(): ChaosFigures {
  return {
    kills: 0,
    aborts: 0,
    killPoints: 0,
    faults: 0,
    checkIns: 0,
    checkInsAcknowledged: 0,
    factsPut: 0,
    factsAcknowledged: 0,
    moves: 0,
    movesAcknowledged: 0,
    deploys: 0,
    deploysAcknowledged: 0,
    catalogsCompared: 0,
    catalogsAtRest: 0,
    deadLetters: 0,
    freshCompiles: 0,
    reserved: 0,
    slowestStartMs: 0,
    slowestSettlingMs: 0,
  };
}
