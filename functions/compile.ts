/**
 * Compile worker in AWS: does the jobs of an SQS batch. Those that met a fault are reported and come again; so are those that met the
 * lease of another worker, when that ends.
 */
import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import packageFile from '../package.json' with { type: 'json' };
import { jobSeconds, readCompileSeconds } from '../shared/config/compile-limit.ts';
import { VARIABLES } from '../shared/config/deployment.ts';
import { METRICS } from '../shared/config/metrics.ts';
import { PUPPET_VERSION } from '../shared/config/puppet-version.ts';
import type { CompileContext } from '../shared/fleet/compiles/compile-context.ts';
import type { JobReport } from '../shared/fleet/compiles/job-report.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { printReport } from '../shared/fleet/compiles/print-report.ts';
import { processJob } from '../shared/fleet/compiles/process-job.ts';
import { ServerAddress } from '../shared/fleet/compiles/server-address.ts';
import { faultPause, pauseUntil } from '../shared/fleet/compiles/work-off.ts';
import { SnapshotCache } from '../shared/fleet/snapshots/snapshot-cache.ts';
import { compile } from '../shared/puppet/compiler/compile.ts';
import { listedVariables } from '../shared/puppet/environment/operator-variables.ts';
import { EnvironmentRuby } from '../shared/puppet/ruby/environment-ruby.ts';
import { createWasmRuby } from '../shared/puppet/ruby/wasm/wasm-host.ts';
import { parseJob } from '../shared/store/aws/job-message.ts';
import { receivedRecord } from '../shared/store/aws/received-record.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);
const context: CompileContext = {
  stores,
  snapshots: new SnapshotCache(stores.blobs),
  compile,
  ruby: new EnvironmentRuby(createWasmRuby()),
  variables: listedVariables(process.env, VARIABLES.eyamlVariables),
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
      const { heldUntil } = await processJob(parseJob(body), { ...context, server }, print, messageId);
      const pauseMs = pauseUntil(heldUntil, stores.clock.now());
      if (pauseMs === null) continue;
      batchItemFailures.push({ itemIdentifier: messageId });
      await comeAgain(record, pauseMs);
    } catch (error) {
      console.error('A job failed and comes again', { messageId, body }, error);
      process.stdout.write(metricLine({ [METRICS.jobFaults]: 1 }, stores.clock.now()));
      batchItemFailures.push({ itemIdentifier: messageId });
      await comeAgain(record, null);
    }
  }
  return { batchItemFailures };
}

const print = (report: JobReport) => printReport(report, stores.clock.now());

/** `pauseMs` null: it met a fault. When the queue cannot be told, the job comes again when its visibility time-out ends. */
async function comeAgain(record: SQSRecord, pauseMs: number | null): Promise<void> {
  try {
    const received = receivedRecord(record, process.env);
    await stores.queue.retryAfter(received, pauseMs ?? faultPause(received, stores.clock.random()));
  } catch (fault) {
    console.error('A job comes again late', { messageId: record.messageId }, fault);
  }
}
