/** The thread of one plan of `npm start`. */
import { workerData } from 'node:worker_threads';
import { openWorkerStores, type StoresWay } from '../shared/local/server-stores.ts';
import type { WorkerSettings } from '../shared/local/worker-message.ts';
import { type PlanThreadData, runPlanThread } from '../shared/orchestrator/plan-runs/run-plan-thread.ts';
import { createThreadContext } from './thread-context.ts';

const data: PlanThreadData & WorkerSettings & { readonly stores: StoresWay } = workerData;
const stores = await openWorkerStores(data.stores);
await runPlanThread(data, createThreadContext(data, { stores }), () => performance.now());
