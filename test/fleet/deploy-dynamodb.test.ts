import { expect, it } from 'vitest';
import { measureDynamoDeploy } from './deploy-dynamodb.ts';

it('invalidates each node of a fleet in DynamoDB once, with few requests', async () => {
  const measures = new Map((await measureDynamoDeploy(60, 2)).map(({ measure, value }) => [measure, value]));
  expect([...measures.keys()]).toEqual(['deploy.requests_per_node.dynamodb', 'deploy.requests_per_node.aws']);
  // One conditional update is the least. 60 nodes are in as many as 32 chains.
  expect(measures.get('deploy.requests_per_node.dynamodb')).toBeGreaterThanOrEqual(1);
  expect(measures.get('deploy.requests_per_node.dynamodb')).toBeLessThan(8);
});
