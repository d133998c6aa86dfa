/**
 * PuppetDB's query and command API behind API Gateway, for callers with IAM permissions. Commands
 * are applied before the answer.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { LARGEST_LAMBDA_ANSWER } from '../shared/config/front-doors.ts';
import { readFactKeeping } from '../shared/config/read-setting.ts';
import { collectInventoryAnswer, readInventoryEvent } from '../shared/http/exchange/inventory-event.ts';
import { answerInventory } from '../shared/http/routes/inventory/inventory-app.ts';
import { CommandQueue } from '../shared/inventory/commands/command-queue.ts';
import { InventoryReader } from '../shared/inventory/query/inventory-reader.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { readQueryLimits, withInventory } from './inventory-database.ts';

const { clock } = openAwsStores(process.env);
const blockedFacts = readFactKeeping(process.env)?.blocked ?? [];

export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  return withInventory(async (database) => {
    const onTrouble = (message: string) => console.warn(message);
    const queue = new CommandQueue({ database, clock, blockedFacts, onTrouble });
    queue.start();
    try {
      const reader = new InventoryReader(database, readQueryLimits());
      const reportFault = (error: unknown) => console.error('a request failed', error);
      const services = { reader, queue, clock, reportFault };
      const answer = await answerInventory(readInventoryEvent(event), services);
      return await collectInventoryAnswer(answer, LARGEST_LAMBDA_ANSWER);
    } finally {
      await queue.stop();
    }
  });
}
