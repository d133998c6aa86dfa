import { parentPort, workerData } from 'node:worker_threads';
import { PostgresDatabase } from './postgres-database.ts';
import type { PostgresAnswer, PostgresRequest } from './postgres-server.ts';
import { postFault, runPostedTask } from './task-messages.ts';

/** The thread of a `PostgresServer`: it does tasks, each in a transaction. */

const port = parentPort;
if (port === null) throw new Error('postgres-thread.ts runs in a worker thread only');
const database = new PostgresDatabase(String(workerData), 2);
port.on('message', async ({ id, task }: PostgresRequest) => {
  if (task === null) {
    await database.close();
    port.postMessage({ id } satisfies PostgresAnswer);
    port.close();
    return;
  }
  const answer = await database
    .transaction((connection) => runPostedTask(connection, task))
    .then(
      (result): PostgresAnswer => ({ id, result }),
      (error: unknown): PostgresAnswer => ({ id, fault: postFault(error) }),
    );
  port.postMessage(answer);
});
