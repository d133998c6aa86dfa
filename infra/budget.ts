import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { partitionOf } from './partition.ts';

interface BudgetSettings {
  /** A month; in China yuan. */
  readonly dollars: number;
  readonly topic: Topic;
  /** A tag of this stack's resources, whose costs are counted; absent: the account's. */
  readonly tag?: readonly [name: string, value: string];
}

/** Notifies the topic when the budget is spent, and when it will be by the forecast. */
export class Budget extends Construct {
  constructor(scope: Construct, id: string, { dollars, topic, tag }: BudgetSettings) {
    super(scope, id);
    const subscribers = [{ subscriptionType: 'SNS', address: topic.topicArn }];
    const notification = (notificationType: 'ACTUAL' | 'FORECASTED') => ({
      notification: {
        notificationType,
        comparisonOperator: 'GREATER_THAN',
        threshold: 100,
        thresholdType: 'PERCENTAGE',
      },
      subscribers,
    });
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: dollars, unit: partitionOf(this).currency },
        ...(tag ? { costFilters: { TagKeyValue: [`user:${tag[0]}$${tag[1]}`] } } : {}),
      },
      notificationsWithSubscribers: [notification('ACTUAL'), notification('FORECASTED')],
    });
  }
}
