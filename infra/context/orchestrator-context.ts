import type { Node } from 'constructs';
import { ORCHESTRATOR } from '../../shared/config/orchestrator.ts';
import type { NameInAws, SettingValues } from '../../shared/config/settings.ts';
import { BROKER_SIZES } from '../../shared/config/sizes.ts';
import { type ContainerCounts, SettingsReader } from './settings-reader.ts';

/**
 * The settings in `cdk.json` (or `-c`), under `understudy:orchestrator`; README.md of this folder
 * describes each.
 */
export interface OrchestratorContext extends Pick<SettingValues, NameInAws<'orchestrator'>> {
  /** CPU units (1024 are one vCPU), and MiB, of one container of the broker. */
  readonly cpu: number;
  readonly memory: number;
  readonly containers: ContainerCounts;
  /** Puppet runs with a compile at a time; the concurrency of catalogs that agents wait for. */
  readonly puppetRuns: number;
  /** Nodes with tasks at a time. */
  readonly taskNodes: number;
}

const KEY = 'understudy:orchestrator';

/** Fargate's sizes: MiB by CPU units, in steps of 1 GiB from 1 GiB on. */
const MEMORY: Readonly<Record<number, readonly [least: number, most: number]>> = {
  256: [512, 2048],
  512: [1024, 4096],
  1024: [2048, 8192],
  2048: [4096, 16_384],
  4096: [8192, 30_720],
};

/**
 * Reads and checks the context; null for `false`: there is neither broker nor orchestrator. Throws
 * an Error that names what is wrong.
 */
export function orchestratorContext(node: Node, waitingConcurrency: number): OrchestratorContext | null {
  const given: unknown = node.tryGetContext(KEY);
  if (given === false || given === 'false') return null;
  return new SettingsReader(KEY, given === true || given === 'true' ? {} : given).readAll((reader) => ({
    ...readSize(reader),
    containers: reader.readContainers(BROKER_SIZES.containers),
    puppetRuns: reader.readNumber('puppetRuns', 1, 100_000, waitingConcurrency),
    taskNodes: reader.readNumber('taskNodes', 1, 100_000, ORCHESTRATOR.taskNodes),
    ...reader.readSection('orchestrator'),
  }));
}

function readSize(reader: SettingsReader): Pick<OrchestratorContext, 'cpu' | 'memory'> {
  const cpu = reader.readNumber('cpu', 256, 4096, BROKER_SIZES.cpu);
  const range = MEMORY[cpu];
  if (range === undefined) throw reader.invalid('cpu', `must be one of ${Object.keys(MEMORY).join(', ')}`);
  const [least, most] = range;
  const memory = reader.readNumber('memory', least, most, Math.max(least, BROKER_SIZES.memory));
  if (memory === 512 || memory % 1024 === 0) return { cpu, memory };
  throw reader.invalid('memory', 'must be 512 or a multiple of 1024');
}
