import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { TABLES, type TableShape } from '../shared/config/deployment.ts';
import type { OperationsContext } from './context/operations-context.ts';

export type TableName = keyof typeof TABLES;

interface TablesSettings extends Pick<OperationsContext, 'deletionProtection' | 'warmThroughput' | 'maxThroughput'> {
  /** Whether somebody follows the stream of the table of documents. */
  readonly followsDocuments: boolean;
}

/**
 * The DynamoDB tables: on demand, encrypted, with point-in-time recovery, retained when the stack
 * is deleted.
 */
export class Tables extends Construct {
  readonly byName: Readonly<Record<TableName, Table>>;

  readonly #settings: TablesSettings;

  constructor(scope: Construct, id: string, settings: TablesSettings) {
    super(scope, id);
    this.#settings = settings;
    const followed = settings.followsDocuments ? StreamViewType.NEW_AND_OLD_IMAGES : undefined;
    this.byName = {
      nodes: this.#createTable('Nodes', TABLES.nodes, StreamViewType.NEW_AND_OLD_IMAGES),
      exports: this.#createTable('Exports', TABLES.exports, StreamViewType.NEW_AND_OLD_IMAGES),
      collectors: this.#createTable('Collectors', TABLES.collectors),
      environments: this.#createTable('Environments', TABLES.environments),
      dependencies: this.#createTable('Dependencies', TABLES.dependencies),
      documents: this.#createTable('Documents', TABLES.documents, followed),
      jobs: this.#createTable('Jobs', TABLES.jobs),
    };
  }

  #createTable(id: string, shape: TableShape, stream?: StreamViewType): Table {
    const { deletionProtection, warmThroughput: warm, maxThroughput: most } = this.#settings;
    const throughput = {
      ...(warm ? { warmThroughput: { readUnitsPerSecond: warm.reads, writeUnitsPerSecond: warm.writes } } : {}),
      ...(most ? { maxReadRequestUnits: most.reads, maxWriteRequestUnits: most.writes } : {}),
    };
    const table = new Table(this, id, {
      partitionKey: { name: shape.partitionKey, type: AttributeType.STRING },
      ...(shape.sortKey ? { sortKey: { name: shape.sortKey, type: AttributeType.STRING } } : {}),
      ...(stream ? { stream } : {}),
      ...(shape.expiry ? { timeToLiveAttribute: shape.expiry } : {}),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      deletionProtection,
      ...throughput,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const index of shape.indexes ?? []) {
      table.addGlobalSecondaryIndex({
        indexName: index.name,
        partitionKey: { name: index.partitionKey, type: AttributeType.STRING },
        sortKey: { name: index.sortKey.name, type: AttributeType[index.sortKey.type === 'N' ? 'NUMBER' : 'STRING'] },
        // Records are read from the table: a copy in each index would cost with each write.
        projectionType: ProjectionType.KEYS_ONLY,
        ...throughput,
      });
    }
    return table;
  }
}
