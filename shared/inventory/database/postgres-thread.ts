import { parentPort, workerData } from 'node:worker_threads';
import { answerRequest, type ThreadRequest } from './database-thread.ts';
import { PostgresDatabase } from './postgres-database.ts';
import type { PostgresWork } from './postgres-server.ts';
import { runPostedTask } from './task-messages.ts';

/** The thread of a `PostgresServer`: it does tasks, each in a transaction. */

const port = parentPort;
if (port === null) throw new Error('postgres-thread.ts runs in a worker thread only');
const database = new PostgresDatabase(String(workerData), 2);

async function doWork(work: PostgresWork): Promise<unknown> {
  if (work === 'close') return database.close();
  return database.transaction((connection) => runPostedTask(connection, work.task));
}

port.on('message', async (request: ThreadRequest<PostgresWork>) => {
  port.postMessage(await answerRequest(request, doWork));
  if (request.work === 'close') port.close();
});
