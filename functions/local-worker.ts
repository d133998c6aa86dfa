/** A compile worker of `npm start`: a thread with its own stores, that takes jobs from the queue until it is told to stop. */
import { parentPort, workerData } from 'node:worker_threads';
import packageFile from '../package.json' with { type: 'json' };
import { compile } from '../shared/compiler/compile.ts';
import { listedVariables } from '../shared/environment/operator-variables.ts';
import { PUPPET_VERSION } from '../shared/http/answers.ts';
import { SnapshotCache } from '../shared/jobs/snapshot-cache.ts';
import { runWorker } from '../shared/jobs/worker-loop.ts';
import { createRuby } from '../shared/local/ruby-choice.ts';
import type { WorkerData, WorkerPost } from '../shared/local/worker-message.ts';
import { EnvironmentRuby } from '../shared/ruby/environment-ruby.ts';
import { openEmbeddedStores, visibilityOf } from '../shared/store/embedded/stores.ts';

async function main({ directory, server, ruby, limitMs }: WorkerData): Promise<void> {
  const stores = openEmbeddedStores(directory, { visibilityMs: visibilityOf(limitMs) });
  const stopping = new AbortController();
  parentPort?.once('message', () => stopping.abort());
  const context = {
    stores,
    snapshots: new SnapshotCache(stores.blobs),
    compile,
    ruby: new EnvironmentRuby(createRuby(ruby, process.env.PATH)),
    variables: listedVariables(process.env),
    settings: { strict: 'error', strictVariables: true, tasks: false, storeconfigs: true },
    server: { ...server, version: PUPPET_VERSION, release: packageFile.version },
    limitMs,
  } as const;
  const post = (message: WorkerPost) => parentPort?.postMessage(message);
  await runWorker(
    { context, queue: stores.queue, changes: stores.changes, invalidate: stores },
    {
      began: (job) => post({ kind: 'began', job }),
      report: (report) => post({ kind: 'report', report }),
      fault: (error, job) => post({ kind: 'fault', certname: job?.job.certname ?? null, message: textOf(error) }),
    },
    stopping.signal,
  );
  stores.close();
  process.exit(0);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

await main(workerData);
