import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { UnderstudyStack } from './stack.ts';
import { stageOf } from './stage.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const stage = stageOf(app);
const region: unknown = app.node.tryGetContext('understudy:region');
new UnderstudyStack(app, stage === undefined ? 'Understudy' : `Understudy-${stage}`, {
  ...(typeof region === 'string' && region !== '' ? { env: { region } } : {}),
});
