/**
 * Compile worker in AWS: processes the jobs of an SQS batch. Jobs that met a fault, or the lease of
 * another worker, are reported as failed and come back.
 */
import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { ENVIRONMENT_VARIABLES } from '../shared/config/deployment.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import type { CompileJobReport } from '../shared/fleet/compiles/compile-job-report.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { printReport } from '../shared/fleet/compiles/print-report.ts';
import { processCompileJob } from '../shared/fleet/compiles/process-compile-job.ts';
import { ServerAddress } from '../shared/fleet/compiles/server-address.ts';
import { findPause, retryAfterFault } from '../shared/fleet/compiles/work-off.ts';
import { CallTracer } from '../shared/store/aws/call-tracer.ts';
import { parseCompileJob, parseReceivedRecord } from '../shared/store/aws/compile-job-message.ts';
import { awsClients, openAwsStores } from '../shared/store/aws/stores.ts';
import { createAwsContext } from './aws-context.ts';
import { openOperatorVariables } from './operator-variables.ts';

const tracer = CallTracer.open(process.env);
const stores = openAwsStores(process.env, tracer?.traceClients(awsClients()));
const context = createAwsContext(process.env, stores);
const findVariables = openOperatorVariables(process.env);
const compile = tracer?.traceWork('compile', context.compile) ?? context.compile;
const serverAddress = new ServerAddress(process.env[ENVIRONMENT_VARIABLES.serverAddress]);

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchItemFailure[] = [];
  for (const record of event.Records) {
    const { messageId, body, attributes } = record;
    try {
      const server = { ...context.server, ip: await serverAddress.find() };
      const current = { ...context, compile, server, variables: await findVariables() };
      const report = await processCompileJob(parseCompileJob(body), current, print, messageId);
      const pauseMs = await findPause(report, Number(attributes?.ApproximateReceiveCount ?? 1), stores);
      if (pauseMs !== null) batchItemFailures.push(await comeAgain(record, pauseMs));
    } catch (error) {
      console.error('A job failed and will be retried', { messageId, body }, error);
      process.stdout.write(metricLine({ [MEASURES.jobFaults.cloudWatch]: 1 }, stores.clock.now()));
      batchItemFailures.push(await comeAgain(record, null, error));
    }
  }
  return { batchItemFailures };
}

const print = (report: CompileJobReport) =>
  printReport(report, stores.clock.now(), context.snapshots.takeMissingPacks());

/** `pauseMs` null: it met a fault. If SQS cannot be reached, the visibility time-out applies. */
async function comeAgain(record: SQSRecord, pauseMs: number | null, error?: unknown): Promise<SQSBatchItemFailure> {
  try {
    const received = parseReceivedRecord(record, process.env);
    await (pauseMs === null ? retryAfterFault(received, error, stores) : stores.queue.retryAfter(received, pauseMs));
  } catch (fault) {
    console.error('A job will be retried late', { messageId: record.messageId }, fault);
  }
  return { itemIdentifier: record.messageId };
}
