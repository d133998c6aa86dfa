import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { UnderstudyStack } from './stack.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
new UnderstudyStack(app, 'Understudy');
