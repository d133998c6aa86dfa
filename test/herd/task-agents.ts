/**
 * PXP agents in a process of their own, each with a certificate of its own, which run every task in
 * half a second. The parent sends an order, and gets a message when all of them are connected.
 */
import { setTimeout } from 'node:timers/promises';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { PxpAgent } from '../helpers/pxp-agent.ts';

export interface TaskAgentsOrder {
  readonly port: number;
  /** The CA's certificate, PEM. */
  readonly trusted: string;
  /** PEM. */
  readonly nodes: readonly { readonly certificate: string; readonly key: string }[];
}

const CONNECTED_AT_ONCE = 20;
/** A task takes this long. */
const RUN_MS = 500;
const RESULTS = { exitcode: 0, stdout: '{"_output":"done"}', stderr: '' };

process.on('message', async ({ port, trusted, nodes }: TaskAgentsOrder) => {
  await inParallel(CONNECTED_AT_ONCE, nodes, async (node) => {
    const agent = await PxpAgent.open(port, { ...node, trusted });
    agent.results['task run'] = () => setTimeout(RUN_MS, RESULTS);
  });
  process.send?.('connected');
});
process.on('disconnect', () => process.exit());
