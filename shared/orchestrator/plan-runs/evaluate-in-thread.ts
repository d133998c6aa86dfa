import { compileSettings } from '../../fleet/compiles/compiler-identity.ts';
import type { WorkerContext } from '../../fleet/compiles/worker-context.ts';
import { ContentMissing, type OpenSnapshot } from '../../fleet/snapshots/snapshot-cache.ts';
import type { CompileRequest } from '../../puppet/compiler/compile.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import { openSnapshotEnvironment, snapshotTree } from '../../puppet/environment/snapshot-environment.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { drawUuid } from '../../store/system-secrets.ts';
import { evaluatePlan, type PlanEnd } from '../plan-language/evaluate-plan.ts';
import type { PlanOrder } from './plan-thread.ts';
import type { ThreadHost } from './thread-host.ts';

/** Blocks of one plan in the background, and plans within each other. */
const LIMITS = { futures: 1000, depth: 100 };
const NO_NODE: CompileRequest['node'] = {
  certname: 'plan',
  environment: '',
  facts: new PuppetHash(),
  trusted: new PuppetHash(),
  serverFacts: null,
  parameters: new PuppetHash(),
  classes: [],
  isAbsent: true,
};

/** Evaluates a plan with the code that is in force now. */
export async function evaluateInThread(order: PlanOrder, context: WorkerContext, host: ThreadHost): Promise<PlanEnd> {
  const record = await context.stores.environments.get(order.environment);
  if (record === null) {
    const msg = `Unknown environment ${order.environment}`;
    return { status: 'failure', result: { kind: 'puppetlabs.orchestrator/unknown-environment', msg, details: {} } };
  }
  const open = await context.snapshots.open(record.codeId);
  const settings = compileSettings(context, record.strictness);
  const compile: CompileRequest = {
    node: { ...NO_NODE, environment: order.environment },
    environment: openWhole(open, context, host),
    settings,
    inputs: NO_RECORDER,
    exportsOf: () => [],
    clock: () => BigInt(context.stores.clock.now()) * 1_000_000n,
    drawUuid,
    parseCache: context.snapshots.parsed.manifests,
    hieraCache: context.snapshots.parsed.data,
    variables: context.variables,
    preparedTypes: open.types,
    logLevel: 'crit',
  };
  const { plan, params, noop } = order;
  const beginRuby = () => context.ruby?.beginCompile(`${open.codeId} ${settings.language}`);
  return evaluatePlan({ plan, params, noop, host, limits: LIMITS, compile, beginRuby });
}

/** An environment whose files are all there: those that are not in memory are fetched at once. */
function openWhole({ snapshot, codeId }: OpenSnapshot, { snapshots }: WorkerContext, host: ThreadHost) {
  const read = (sha256: string): Uint8Array => {
    try {
      return snapshots.readContent(sha256);
    } catch (error) {
      if (!(error instanceof ContentMissing)) throw error;
      const bytes = host.fetchContent(sha256);
      if (bytes === null) throw error;
      return bytes;
    }
  };
  return openSnapshotEnvironment(snapshot, codeId, snapshotTree(snapshot, read), NO_RECORDER);
}
