/**
 * Invalidates the nodes that a deploy affects. A message is a chain: a share of these nodes, which
 * `runChain` works on in pages. A chain that one invocation cannot finish is sent again and
 * continues after its last page. Throttled writes are tried again as long as the invocation has
 * time; then the message stays in the queue.
 */
import type { Context, SQSBatchItemFailure, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runChain } from '../shared/fleet/fan-out/run-chain.ts';
import { parseFanOutMessage } from '../shared/store/aws/fan-out-queue.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { waitOutThrottles } from '../shared/store/aws/throttled-writes.ts';

/** No page begins with less time left: each takes less than this. */
const RESERVE_MS = 20_000;

const stores = openAwsStores(process.env);

export async function handler(
  event: SQSEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
): Promise<SQSBatchResponse> {
  const isOver = () => context.getRemainingTimeInMillis() < RESERVE_MS;
  const batchItemFailures: SQSBatchItemFailure[] = [];
  for (const { messageId, body } of event.Records) {
    try {
      const message = parseFanOutMessage(body);
      const nodes = waitOutThrottles(stores.nodes, stores.clock, isOver);
      const { invalidated, isDone } = await runChain(message, { ...stores, nodes }, isOver);
      if (!isDone) await stores.fanOut.send([message]);
      console.info('nodes invalidated', { ...message, nodes: invalidated.length, isDone });
    } catch (error) {
      console.error('A fan-out failed and will be retried', { messageId, body }, error);
      batchItemFailures.push({ itemIdentifier: messageId });
    }
  }
  return { batchItemFailures };
}
