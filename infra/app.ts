import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { assertLimits } from './limits.ts';
import { UnderstudyStack } from './stack.ts';
import { stageOf } from './stage.ts';

// Images get files with the modes of the folders here, which must not depend on who deploys.
process.umask(0o022);
try {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const stage = stageOf(app);
  const region: unknown = app.node.tryGetContext('understudy:region');
  const { artifactId, stackName } = new UnderstudyStack(
    app,
    stage === undefined ? 'Understudy' : `Understudy-${stage}`,
    {
      ...(typeof region === 'string' && region !== '' ? { env: { region } } : {}),
    },
  );
  assertLimits(app.synth().getStackArtifact(artifactId).template, stackName);
} catch (error) {
  // A refused setting is one line, not a stack trace.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
