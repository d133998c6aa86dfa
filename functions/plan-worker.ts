/** The thread of one plan of the authority service in AWS. */
import { workerData } from 'node:worker_threads';
import { runPlanThread } from '../shared/orchestrator/plan-runs/run-plan-thread.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { createAwsContext } from './aws-context.ts';

const context = createAwsContext(process.env, openAwsStores(process.env));
await runPlanThread(workerData, context, () => performance.now());
