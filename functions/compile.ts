/** Compile worker in AWS: does the jobs of an SQS batch. Those that met a fault are reported and come again. */
import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import packageFile from '../package.json' with { type: 'json' };
import { compile } from '../shared/compiler/compile.ts';
import { jobSeconds, readCompileSeconds } from '../shared/config/compile-limit.ts';
import { QUEUES, VARIABLES } from '../shared/config/deployment.ts';
import { METRICS } from '../shared/config/metrics.ts';
import { listedVariables } from '../shared/environment/operator-variables.ts';
import { PUPPET_VERSION } from '../shared/http/answers.ts';
import type { CompileContext } from '../shared/jobs/compile-context.ts';
import { compileEntry } from '../shared/jobs/compile-line.ts';
import { jobMetrics } from '../shared/jobs/job-metrics.ts';
import type { JobReport } from '../shared/jobs/job-report.ts';
import { metricLine } from '../shared/jobs/metric-line.ts';
import { processJob } from '../shared/jobs/process-job.ts';
import { ServerAddress } from '../shared/jobs/server-address.ts';
import { SnapshotCache } from '../shared/jobs/snapshot-cache.ts';
import { EnvironmentRuby } from '../shared/ruby/environment-ruby.ts';
import { createWasmRuby } from '../shared/ruby/wasm-host.ts';
import { parseJob } from '../shared/store/aws/job-message.ts';
import { receivedRecord } from '../shared/store/aws/received-record.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);
const context: CompileContext = {
  stores,
  snapshots: new SnapshotCache(stores.blobs),
  compile,
  ruby: new EnvironmentRuby(createWasmRuby()),
  variables: listedVariables(process.env),
  settings: { strict: 'error', strictVariables: true, tasks: false, storeconfigs: true },
  server: {
    name: process.env[VARIABLES.serverName] ?? 'puppet',
    ip: null,
    version: PUPPET_VERSION,
    release: packageFile.version,
  },
  limitMs: 1000 * jobSeconds(readCompileSeconds(process.env[VARIABLES.compileSeconds], VARIABLES.compileSeconds)),
};
const serverAddress = new ServerAddress(process.env[VARIABLES.serverAddress]);

export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchItemFailure[] = [];
  for (const record of event.Records) {
    const { messageId, body } = record;
    try {
      const server = { ...context.server, ip: await serverAddress.find() };
      await processJob(parseJob(body), { ...context, server }, tell);
    } catch (error) {
      console.error('A job failed and comes again', { messageId, body }, error);
      process.stdout.write(metricLine({ [METRICS.jobFaults]: 1 }, stores.clock.now()));
      batchItemFailures.push({ itemIdentifier: messageId });
      await comeAgain(record).catch((fault) => console.error('A job comes again late', { messageId }, fault));
    }
  }
  return { batchItemFailures };
}

async function comeAgain(record: SQSRecord): Promise<void> {
  const received = receivedRecord(record, process.env);
  const seconds = QUEUES.retrySeconds[received.receiveCount - 1] ?? 0;
  // Many met the same fault: they come spread over the upper half.
  await stores.queue.retryAfter(received, 1000 * seconds * (0.5 + stores.clock.random() / 2));
}

function tell(report: JobReport): void {
  process.stdout.write(`${JSON.stringify(compileEntry(report, stores.clock.now()))}\n`);
  for (const entry of report.log) console.info('compile log', report.certname, entry);
  // Not through the console: with JSON logs that would wrap the line, and CloudWatch would see no metric in it.
  const values = jobMetrics(report);
  if (Object.keys(values).length > 0) process.stdout.write(metricLine(values, stores.clock.now()));
}
