import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../../shared/config/deployment.ts';
import { pack } from '../../../shared/store/aws/attributes.ts';
import { AwsDependencyIndex } from '../../../shared/store/aws/dependency-index.ts';
import { setsKey } from '../../../shared/store/aws/dependency-rows.ts';
import { Table } from '../../../shared/store/aws/table.ts';
import { deployNames, type Emulators, startEmulators } from '../../helpers/aws-emulators.ts';

const SETS = 1200;
let emulators: Emulators;
beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(() => emulators.close());

it('reads sets page by page, and keeps only those with a wanted part', async () => {
  const names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
  const client = DynamoDBDocumentClient.from(emulators.clients.dynamodb);
  const open = (name: 'dependenciesTable' | 'nodesTable') =>
    new Table(client, names[ENVIRONMENT_VARIABLES[name]] ?? '');
  const table = open('dependenciesTable');
  const idOf = (number: number) => `set${String(number).padStart(5, '0')}`;
  const rows = Array.from({ length: SETS }, (_, number) => ({
    from: setsKey('production'),
    to: idOf(number),
    parts: pack([
      [number % 600 === 599 ? 'wanted' : `own${number}`, 'modules/a'],
      ['shared', 'data'],
    ]),
  }));
  await table.batchPut(rows);
  let pages = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === QueryCommand.name) pages += 1;
        return next(args);
      },
    { step: 'initialize' },
  );
  const index = new AwsDependencyIndex(table, open('nodesTable'));
  expect(await index.findSets('production', new Set(['wanted', 'none']))).toEqual([599, 1199].map(idOf));
  expect(pages).toBe(2);
  expect(await index.findSets('production', new Set(['shared']))).toHaveLength(SETS);
});
