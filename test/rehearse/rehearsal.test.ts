import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeFolderOnDisk } from '../helpers/temporary-folder.ts';
import { AwsSite } from './aws-site.ts';
import { EmulatedSite } from './emulated-site.ts';
import { printSteps, rehearse, StepFailed } from './rehearsal.ts';
import { hasAgent, STEPS } from './steps.ts';

const parent = mkdtempSync(join(tmpdir(), 'understudy-rehearsal-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('a rehearsal', () => {
  it('goes on where it failed, and prints the time of all steps', async () => {
    const kit = { site: new EmulatedSite(), folder: join(parent, 'steps') };
    const ran: string[] = [];
    let now = 0;
    let isBroken = true;
    const step = (name: string, seconds: number) => ({
      name,
      run: async () => {
        ran.push(name);
        now += 1000 * seconds;
        if (name === 'second' && isBroken) throw new Error('no quota');
      },
    });
    const steps = [step('first', 3), step('second', 40), step('third', 5)];
    const options = { now: () => now };
    await expect(rehearse(steps, kit, options)).rejects.toThrow(StepFailed);
    await expect(rehearse(steps, kit, options)).rejects.toThrow("the step 'second' failed: no quota");
    isBroken = false;
    const done = await rehearse(steps, kit, options);
    expect(ran).toEqual(['first', 'second', 'second', 'second', 'third']);
    expect(printSteps(done).split('\n')).toEqual([
      'first                         3 s',
      'second                       40 s',
      'third                         5 s',
      'all                          48 s',
    ]);
  });
});

/** The AWS CLI and the CDK as an account answers them, and what they were asked. */
function scriptAccount(folder: string) {
  const calls: string[] = [];
  const resources = [
    ['WorkersFeed1', 'AWS::Lambda::Function', 'feed'],
    ['ProbeRun1', 'AWS::Lambda::Function', 'probe'],
    ['AuthorityKey1', 'AWS::KMS::Key', 'key'],
    ['EdgeCluster1', 'AWS::ECS::Cluster', 'cluster'],
    ['EdgeService1', 'AWS::ECS::Service', 'service'],
    ['TablesNodes1', 'AWS::DynamoDB::Table', 'nodes'],
    ['StorageData1', 'AWS::S3::Bucket', 'bucket'],
  ].map(([LogicalResourceId, ResourceType, PhysicalResourceId]) => ({
    LogicalResourceId,
    ResourceType,
    PhysicalResourceId,
  }));
  const objects = [{ Objects: [{ Key: 'files/a', VersionId: '1' }] }, { Objects: null }];
  const answers: Readonly<Record<string, () => unknown>> = {
    'cloudformation describe-stacks': () => 'nlb.example.com',
    'cloudformation list-stack-resources': () => ({ StackResourceSummaries: resources }),
    'lambda get-function-configuration': () => ({ UNDERSTUDY_NODES_TABLE: 'nodes', NODE_OPTIONS: '--flag' }),
    'lambda invoke': () => ({ StatusCode: 200 }),
    'ecs list-tasks': () => ({ taskArns: ['task-1'] }),
    's3api list-object-versions': () => objects.shift() ?? null,
    'resourcegroupstaggingapi get-resources': () => ({ ResourceTagMappingList: [{ ResourceARN: 'arn:aws:kms:key' }] }),
  };
  const run = async (program: string, args: readonly string[]) => {
    calls.push([program, ...args].join(' '));
    return JSON.stringify(answers[`${args[0]} ${args[1]}`]?.() ?? {});
  };
  const settings = { region: 'eu-west-1', prefix: 'trial', network: '192.0.2.7/32', folder, run };
  return { calls, site: new AwsSite(settings) };
}

describe('the site in AWS', () => {
  const { calls, site } = scriptAccount(parent);
  const since = async (work: () => Promise<unknown>) => {
    const before = calls.length;
    await work();
    return calls.slice(before);
  };

  it('is the smallest stack, open to one network, and has the ports of the load balancer', async () => {
    const [deploy = ''] = await since(() => site.deploy());
    expect(deploy).toMatch(/^npx cdk deploy --require-approval never --context understudy:stage=trial /);
    expect(deploy).toContain('"internetFacing":true,"agentNetworks":["192.0.2.7/32"]');
    expect(deploy).toContain('"deletionProtection":false');
    expect([site.door('edge'), site.door('console').port]).toEqual([{ host: 'nlb.example.com', port: 8140 }, 8443]);
    expect(await site.variables()).toMatchObject({
      UNDERSTUDY_NODES_TABLE: 'nodes',
      UNDERSTUDY_CA_KMS_KEY: 'key',
      AWS_REGION: 'eu-west-1',
    });
  });

  it('gets a probe with its secret, which runs', async () => {
    const asked = await since(() => site.runProbe({ certname: 'b', certificate: 'pem', key: 'pem' }));
    expect(asked.find((one) => one.includes('create-secret'))).toContain('--name trial/probe --secret-string file://');
    expect(asked.join('\n')).toContain('"probe":{"certname":"b","secret":"trial/probe"}');
    expect(asked.at(-1)).toContain('lambda invoke --function-name probe');
  });

  it('loses a task of the edge', async () => {
    expect((await since(() => site.killEdge())).at(-1)).toBe(
      'aws ecs stop-task --cluster cluster --task task-1 --reason a rehearsal --region eu-west-1',
    );
  });

  it('is removed with what outlasts its stacks, and says what remains', async () => {
    let left: readonly string[] = [];
    const asked = await since(async () => {
      left = await site.remove();
    });
    expect(left).toEqual(['arn:aws:kms:key']);
    for (const part of [
      'delete-stack --stack-name Understudy-trial-restored',
      'delete-stack --stack-name Understudy-trial ',
      'dynamodb delete-table --table-name nodes',
      'kms schedule-key-deletion --key-id key',
      's3api delete-objects --bucket bucket',
      's3api delete-bucket --bucket bucket',
      'secretsmanager delete-secret --secret-id trial/probe',
    ]) {
      expect(asked.filter((one) => one.includes(part)).length, part).toBeGreaterThan(0);
    }
  });
});

describe.skipIf(!hasAgent())('over the emulators', () => {
  it('does every step: agents, Ruby, exports, probe, job, console, a killed task, a restored backup', async () => {
    const site = new EmulatedSite();
    try {
      const done = await rehearse(STEPS, { site, folder: makeFolderOnDisk('rehearsal') });
      expect(done.map(({ name }) => name)).toEqual(STEPS.map(({ name }) => name));
    } finally {
      expect(await site.remove()).toEqual([]);
    }
  });
});
