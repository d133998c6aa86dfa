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

export type TableName = keyof typeof TABLES;

/**
 * The DynamoDB tables: on demand, encrypted, with point-in-time recovery, retained when the stack
 * is deleted.
 */
export class Tables extends Construct {
  readonly byName: Readonly<Record<TableName, Table>>;

  readonly #deletionProtection: boolean;

  /** `followsDocuments`: whether somebody follows the stream of the table of documents. */
  constructor(
    scope: Construct,
    id: string,
    {
      deletionProtection,
      followsDocuments,
    }: { readonly deletionProtection: boolean; readonly followsDocuments: boolean },
  ) {
    super(scope, id);
    this.#deletionProtection = deletionProtection;
    const followed = followsDocuments ? StreamViewType.NEW_AND_OLD_IMAGES : undefined;
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
    const table = new Table(this, id, {
      partitionKey: { name: shape.partitionKey, type: AttributeType.STRING },
      ...(shape.sortKey ? { sortKey: { name: shape.sortKey, type: AttributeType.STRING } } : {}),
      ...(stream ? { stream } : {}),
      ...(shape.expiry ? { timeToLiveAttribute: shape.expiry } : {}),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      deletionProtection: this.#deletionProtection,
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
      });
    }
    return table;
  }
}
