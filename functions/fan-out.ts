/**
 * Invalidates the nodes that a deploy affects. A message is a chain: a share of these nodes, which
 * `runChain` works on in pages. A chain that one invocation cannot finish is sent again and
 * continues after its last page.
 */
import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runChain } from '../shared/fleet/fan-out/run-chain.ts';
import { parseFanOutMessage } from '../shared/store/aws/fan-out-queue.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

/** No page begins with less time left: each takes less than this. */
const RESERVE_MS = 20_000;

const stores = openAwsStores(process.env);

export async function handler(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SQSBatchResponse> {
  const batchItemFailures: SQSBatchItemFailure[] = [];
  for (const { messageId, body } of event.Records) {
    try {
      const message = parseFanOutMessage(body);
      const { invalidated, isDone } = await runChain(
        message,
        stores,
        () => context.getRemainingTimeInMillis() < RESERVE_MS,
      );
      if (!isDone) await stores.fanOut.send([message]);
      console.info('nodes invalidated', { ...message, nodes: invalidated.length, isDone });
    } catch (error) {
      console.error('A fan-out failed and will be retried', { messageId, body }, error);
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}
