import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { CatalogAnswer } from '../../shared/fleet/catalogs/catalog-service.ts';
import { loadFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { HierarchyStore } from '../../shared/fleet/groups/hierarchy-store.ts';
import { groupNode } from '../../shared/fleet/groups/node-grouping.ts';
import type { ExportedResource } from '../../shared/puppet/catalog/exported.ts';
import type { CompileFailure, CompileSuccess } from '../../shared/puppet/compiler/compile.ts';
import type { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { ReceivedCompileJob } from '../../shared/store/ports/compile-queue.ts';
import { codeInForce, type EnvironmentRecord } from '../../shared/store/ports/environment-store.ts';
import type { NodeRecord } from '../../shared/store/ports/node-record.ts';
import type { LeaseClaim } from '../../shared/store/ports/node-store.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { hashOf } from '../helpers/compile-world.ts';
import { type CompileSite, ENVIRONMENT, type SiteStores } from './compile-site.ts';
import { Violation } from './explore.ts';
import type { StepOutcome, TakenStep } from './scheduler.ts';

type Facts = Readonly<Record<string, string>>;

/** A request of an agent in progress. */
interface OpenRequest {
  end(answer: CatalogAnswer): void;
}

/** Facts of a request, with the steps between which it was accepted. */
interface AcceptedFacts {
  readonly facts: Facts;
  readonly since: number;
  readonly until: number;
}

interface Lease {
  readonly process: string;
  readonly holder: unknown;
  readonly until: number;
}

/** What a scripted catalog says of its inputs. Exports are accepted later than their catalog. */
const OF_INPUTS = /^(fact |data\/|name$|environment$)/;

/**
 * Knows what was accepted in a run, and checks every step and its end:
 *
 * - a node with a reason to compile has a job, while no process failed;
 * - a job that a worker returns is not lost;
 * - one worker at a time has the lease of a node;
 * - a catalog that is served as current contradicts no fact, and no code that was in force before;
 * - in the end all is built, from the newest code and the newest facts. A check-in may write
 *   nothing when only facts changed that no catalog used so far: if code in force after it uses
 *   them, the compile knows the values that are stored. Such a node has a catalog of its newest
 *   facts after its next check-in, which compares them with those of the compile, and until then
 *   it is never served as current what they contradict;
 * - in one turn of the ring each node is compiled or verified.
 */
export class CompileModel {
  /** Whether a process died, or a call failed. */
  isFaulty = false;
  readonly #site: CompileSite;
  readonly #stores: SiteStores;
  readonly #leases = new Map<string, Lease>();
  readonly #dead = new Set<string>();
  /** The jobs that were acknowledged since they were received last. */
  readonly #acknowledged = new Set<string>();
  readonly #accepted = new Map<string, AcceptedFacts[]>();
  /** The code in force since the run began, with the number of the step that put it in force. */
  readonly #inForce: { readonly record: EnvironmentRecord | null; readonly since: number }[] = [
    { record: null, since: 0 },
  ];
  #steps = 0;

  readonly #countJobs: (certname: string) => number;

  constructor(site: CompileSite, stores: SiteStores, countJobs: (certname: string) => number) {
    this.#site = site;
    this.#countJobs = countJobs;
    this.#stores = stores;
    // They are older than any request: those of a run may begin at step 0.
    for (const [certname, facts] of Object.entries(site.plan.facts))
      this.#accepted.set(certname, [{ facts, since: -1, until: -1 }]);
  }

  observe({ step, outcome, args, result }: TakenStep, now: number): void {
    this.#steps += 1;
    if (outcome !== 'done') this.isFaulty = true;
    if (outcome === 'crash') this.#dead.add(step.process);
    if (step.call === 'nodes.lease') this.#checkLease(step.process, args, result as LeaseClaim | undefined, now);
    if (step.call === 'nodes.finishRound' && result === null) this.#endLease(step.process, args);
    if (step.call === 'nodes.release') this.#endLease(step.process, args);
    if (step.call === 'nodes.endLease' && this.#leases.get(String(args[0]))?.holder === args[1]) {
      this.#leases.delete(String(args[0]));
    }
    if (step.call.startsWith('queue.')) this.#observeQueue(step.call, outcome, args, result);
    // A node of that name is another one from now on.
    if (step.call === 'nodes.delete') this.#leases.delete(String(args[0]));
    if (step.call === 'environments.replace' && result === true) this.noteCode(args[0] as EnvironmentRecord);
  }

  noteCode(record: EnvironmentRecord): void {
    this.#inForce.push({ record, since: this.#steps });
  }

  #checkLease(process: string, args: readonly unknown[], claim: LeaseClaim | undefined, now: number): void {
    if (typeof claim !== 'object' || !('node' in claim)) return;
    const [certname, , until, holder] = args;
    const other = this.#leases.get(String(certname));
    const isHeld = other && other.process !== process && other.until > now && !this.#dead.has(other.process);
    if (isHeld && other.holder !== holder)
      throw new Violation(`${process} and ${other.process} have the lease of ${certname} at a time`);
    this.#leases.set(String(certname), { process, holder, until: Number(until) });
  }

  #observeQueue(call: string, outcome: StepOutcome, args: readonly unknown[], result: unknown): void {
    if (call === 'queue.receive' && Array.isArray(result)) {
      for (const { id } of result as readonly ReceivedCompileJob[]) this.#acknowledged.delete(id);
    }
    if (call === 'queue.acknowledge' && (typeof outcome === 'string' || outcome.isDone)) {
      this.#acknowledged.add((args[0] as ReceivedCompileJob).id);
    }
    if (call === 'queue.retryAfter' && outcome === 'done') this.#checkReturned(args[0] as ReceivedCompileJob);
  }

  /**
   * A job that its worker returns is in the queue, alone or as one with another, or was done by a
   * worker that received it later.
   */
  #checkReturned({ id, job }: ReceivedCompileJob): void {
    if (this.#acknowledged.has(id)) return;
    if (this.#countJobs(job.certname) === 0) throw new Violation(`the returned job of ${job.certname} is lost`);
  }

  #endLease(process: string, args: readonly unknown[]): void {
    const certname = String(args[0]);
    if (this.#leases.get(certname)?.process === process) this.#leases.delete(certname);
  }

  beginRequest(certname: string, facts: Facts): OpenRequest {
    const since = this.#steps;
    return {
      end: (answer) => {
        const accepted = { facts, since, until: this.#steps };
        this.#accepted.set(certname, [...(this.#accepted.get(certname) ?? []), accepted]);
        if (answer.status === 'current') this.#checkServed(certname, facts, answer.catalog, since);
      },
    };
  }

  /** The catalog must be one of code that was in force while the request lasted. */
  #checkServed(certname: string, facts: Facts, catalog: Uint8Array, since: number): void {
    const served = inputsOf(JSON.parse(gunzipSync(catalog).toString()));
    const latest = this.#inForce.findLastIndex((code) => code.since <= since);
    const possible = this.#inForce.slice(Math.max(0, latest)).map(({ record }) => {
      const codeId = record ? codeInForce(record, certname).codeId : (this.#site.codeIds[0] ?? '');
      return this.#expect(certname, facts, codeId);
    });
    if (possible.some((one) => isDeepStrictEqual(one, served))) return;
    throw new Violation(
      `${certname} was served as current ${JSON.stringify(served)}, and accepted is ${JSON.stringify(possible)}`,
    );
  }

  #expect(certname: string, facts: Facts, codeId: string): unknown {
    const result = this.#site.compile(certname, hashOf(facts), codeId, [], null);
    return result.status === 'ok' ? inputsOf(JSON.parse(result.catalog)) : result.error;
  }

  /**
   * Without faults, each node that wants something has a job, or is marked for the next round of
   * the feeder because a worker gave up its job.
   */
  async checkEnd(): Promise<void> {
    if (this.isFaulty) return;
    for (const certname of await this.#stores.nodes.listOutstandingNames(1000)) {
      if (this.#countJobs(certname) > 0) continue;
      const node = await this.#stores.nodes.get(certname);
      if (node && node.asked.at > 0)
        throw new Violation(`${certname} wants ${node.wanted}, has ${node.built}, and has no job`);
    }
  }

  async isSettled(): Promise<boolean> {
    const nodes = await this.#stores.nodes.list(null, 1000);
    return nodes.every(({ built, wanted }) => built >= wanted);
  }

  /** The facts that each node sent last, accepted or not. */
  listFacts(): readonly (readonly [certname: string, facts: Facts])[] {
    return [...this.#accepted].map(([certname, all]) => [certname, all.at(-1)?.facts ?? {}]);
  }

  /** The requests of a node after which no other one began. */
  #listNewest(certname: string): readonly AcceptedFacts[] {
    const all = this.#accepted.get(certname) ?? [];
    return all.filter(({ until }) => all.every(({ since }) => since <= until));
  }

  /** The code that was in force for a node by a step. */
  #listCode(certname: string, until: number): readonly string[] {
    const records = this.#inForce.filter(({ since }) => since <= until).map(({ record }) => record);
    const codeIds = records.map((one) => (one ? codeInForce(one, certname).codeId : (this.#site.codeIds[0] ?? '')));
    return [...new Set(codeIds)];
  }

  /** What a state does not show, and what the end depends on. */
  printNewest(): string {
    const newest = [...this.#accepted.keys()].map((certname) =>
      this.#listNewest(certname).map(({ facts, until }) => [facts, this.#listCode(certname, until)]),
    );
    return JSON.stringify([this.isFaulty, newest]);
  }

  /**
   * All is done, and every catalog follows from what was accepted. Returns the nodes that need
   * another check-in for that, with the facts that they bring.
   */
  async checkRest(): Promise<readonly (readonly [certname: string, facts: Facts])[]> {
    const late: (readonly [certname: string, facts: Facts])[] = [];
    const { environments, exports, nodes, blobs } = this.#stores;
    const record = await environments.get(ENVIRONMENT);
    const all = await exports.collect([{ type: 'Host', query: null }], '');
    const groups = await new HierarchyStore(this.#stores).read();
    const known = await nodes.list(null, 1000);
    const orphan = all.find((one) => !known.some(({ certname }) => certname === one.certname));
    if (orphan) throw new Violation(`${orphan.certname} is no more, and its export ${orphan.title} is`);
    for (const node of known) {
      const { certname } = node;
      if (node.built < node.wanted)
        throw new Violation(`${certname} wants ${node.wanted} and has ${node.built} at rest`);
      if (!this.#accepted.has(certname) || node.wanted === 0) continue;
      const stored = await loadFacts(blobs, node);
      // Its check-in failed before it was accepted.
      if (stored === null || record === null) continue;
      const { codeId } = codeInForce(record, certname);
      const grouping = groupNode(groups, { name: certname, fact: stored.facts, trusted: stored.trusted }, 0);
      const classification = grouping?.classification ?? null;
      this.#checkCatalog(node, this.#site.compile(certname, stored.facts, codeId, all, classification), all);
      if (this.isFaulty) continue;
      const newest = this.#listNewest(certname);
      const compile = (facts: PuppetHash, code: string) => {
        const result = this.#site.compile(certname, facts, code, all, classification);
        return result.status === 'failed' ? null : digestSha256(result.catalog);
      };
      const isOf = ({ facts }: AcceptedFacts) => [null, node.catalog?.hash].includes(compile(hashOf(facts), codeId));
      if (newest.some(isOf)) continue;
      const unseen = newest.find(({ facts, until }) =>
        this.#listCode(certname, until).some((code) => compile(hashOf(facts), code) === compile(stored.facts, code)),
      );
      if (!unseen)
        throw new Violation(
          `${certname} has no catalog of its newest facts: ${JSON.stringify(newest.map(({ facts }) => facts))}`,
        );
      late.push([certname, unseen.facts]);
    }
    const { head } = groups;
    if (head && head.settled < head.revision && !this.isFaulty) throw new Violation('the node groups are not settled');
    if (record && record.settled < record.revision && !this.isFaulty)
      throw new Violation(`revision ${record.revision} of ${record.name} is not settled`);
    return late;
  }

  /** The nodes before and after one turn of the ring. */
  checkTurn(before: readonly NodeRecord[], after: readonly NodeRecord[]): void {
    for (const { certname, compiles, verifications, wanted } of before) {
      // Nothing was accepted for it: a check-in that was answered as it was purged noted its visit.
      if (wanted === 0) continue;
      const node = after.find((one) => one.certname === certname);
      if (node && node.compiles + node.verifications === compiles + verifications)
        throw new Violation(`${certname} fell out of the ring`);
    }
  }

  #checkCatalog(node: NodeRecord, expected: CompileSuccess | CompileFailure, all: readonly ExportedResource[]): void {
    const { certname, failure, catalog } = node;
    if (expected.status === 'failed') {
      if (failure === null) throw new Violation(`${certname} has a catalog, and its code fails`);
      return;
    }
    if (failure !== null || catalog?.hash !== digestSha256(expected.catalog))
      throw new Violation(
        `${certname} has another catalog than its inputs give: ${failure?.message ?? catalog?.hash}; expected ${expected.catalog}`,
      );
    const titles = all.filter((one) => one.certname === certname).map(({ title }) => title);
    if (!isDeepStrictEqual(titles, expected.exported.map(({ title }) => title).sort()))
      throw new Violation(`${certname} exports ${titles}, and its catalog does not`);
  }
}

function inputsOf(catalog: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(catalog).filter(([key]) => OF_INPUTS.test(key)));
}
