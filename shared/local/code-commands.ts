import type { Command } from 'commander';
import { VARIABLES } from '../config/deployment.ts';
import type { DeployReport } from '../jobs/deploy.ts';
import { environmentsOf } from '../jobs/scan-environment.ts';
import type { AwsNames } from '../store/aws/stores.ts';
import { StoreRefused, type Stores } from '../store/ports.ts';

type Print = (text: string) => Promise<void>;

interface Where {
  readonly data?: string;
}

/** There is no node of that name; the message names it. */
export class NoSuchNode extends Error {
  constructor(certname: string) {
    super(`there is no node '${certname}'`);
    this.name = 'NoSuchNode';
  }
}

/**
 * Adds `code deploy`, `code list` and `node show`. They work on a data directory, or without one on the deployment in AWS that the
 * environment variables name.
 */
export function addCodeCommands(program: Command, print: Print, variables: AwsNames): void {
  const data = ['--data <dir>', 'a data directory; without it the deployment that the environment names'] as const;
  const code = program.command('code').description('deployed code');
  code
    .command('deploy')
    .description('deploy environments of a control repo, and have the catalogs compiled again that they touch')
    .argument('<dir>', 'the control repo')
    .option('--environment <name...>', 'environments to deploy; all by default')
    .option('--by <name>', 'who deploys', 'command line')
    .option(...data)
    .action((directory: string, options: Where & { environment?: string[]; by: string }) =>
      withStores(options, variables, async (stores) => {
        const { deployEnvironment } = await import('../jobs/deploy.ts');
        const { prepareTypesInThread } = await import('../jobs/prepare-types-thread.ts');
        for (const name of options.environment ?? environmentsOf(directory)) {
          const report = await deployEnvironment(stores, directory, name, options.by, prepareTypesInThread);
          await print(deployLine(report));
        }
      }),
    );
  code
    .command('list')
    .description('list the deployed environments: name, code id, time, by whom')
    .option(...data)
    .action((options: Where) => withStores(options, variables, (stores) => list(stores, print)));
  program
    .command('node')
    .description('what is known of nodes')
    .command('show')
    .description("print a node's record as JSON: generations, catalog, inputs, failure")
    .argument('<certname>')
    .option(...data)
    .action((certname: string, options: Where) =>
      withStores(options, variables, (stores) => show(stores, certname, print)),
    );
}

function deployLine({ environment, codeId, changed, files, nodes }: DeployReport): string {
  const what = changed ? 'deployed' : 'unchanged';
  return `${environment} ${what}: ${codeId}, ${files} files, ${nodes.length} nodes touched\n`;
}

async function list({ environments }: Stores, print: Print): Promise<void> {
  for (const { name, codeId, deployedAt, by } of await environments.list()) {
    await print(`${name} ${codeId} ${new Date(deployedAt).toISOString()} ${by}\n`);
  }
}

async function show({ nodes }: Stores, certname: string, print: Print): Promise<void> {
  const node = await nodes.get(certname);
  if (!node) throw new NoSuchNode(certname);
  await print(`${JSON.stringify(node, null, 2)}\n`);
}

// What the commands work with is loaded when one of them runs: other commands start sooner.
async function withStores(
  { data }: Where,
  variables: AwsNames,
  work: (stores: Stores) => Promise<void>,
): Promise<void> {
  if (data === undefined) {
    if (variables[VARIABLES.nodesTable] === undefined) {
      throw new StoreRefused(`neither --data nor ${VARIABLES.nodesTable} says where the state is`);
    }
    const { openAwsStores } = await import('../store/aws/stores.ts');
    await work(openAwsStores(variables));
    return;
  }
  const { openEmbeddedStores } = await import('../store/embedded/stores.ts');
  const stores = openEmbeddedStores(data);
  try {
    await work(stores);
  } finally {
    stores.close();
  }
}
