import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../shared/config/deployment.ts';
import { FRONT_DOOR_VARIABLES } from '../../shared/config/front-doors.ts';
import { ORCHESTRATOR_VARIABLES } from '../../shared/config/orchestrator.ts';
import { PROBE_VARIABLES } from '../../shared/config/probe.ts';
import { variableOf } from '../../shared/config/read-setting.ts';
import { SETTINGS, type SettingName } from '../../shared/config/settings.ts';
import { type SynthesizedStack, synthesizedStack } from '../helpers/synthesized-stack.ts';

const RECORDER = join(import.meta.dirname, '../helpers/recorded-variables.ts');
let template: Template;
let stack: SynthesizedStack;

/** Of all that an operator can set. */
beforeAll(async () => {
  stack = await synthesizedStack();
  ({ template } = stack);
});

interface FunctionResource {
  readonly Properties: { readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> } };
}

interface TaskResource {
  readonly Properties: {
    readonly ContainerDefinitions: readonly {
      readonly Command: readonly string[];
      readonly Environment: readonly { readonly Name: string }[];
      readonly Secrets: readonly { readonly Name: string }[];
    }[];
  };
}

function setForFunction(part: string): readonly string[] {
  const functions = template.findResources('AWS::Lambda::Function') as Record<string, FunctionResource>;
  const [, found] = Object.entries(functions).find(([id]) => id.includes(part)) ?? [];
  return Object.keys(found?.Properties.Environment.Variables ?? {});
}

function setForContainer(entry: 'edge' | 'authority' | 'broker'): readonly string[] {
  const tasks = Object.values(template.findResources('AWS::ECS::TaskDefinition')) as TaskResource[];
  const containers = tasks.flatMap(({ Properties }) => Properties.ContainerDefinitions);
  const container = containers.find(({ Command }) => Command.includes(`${entry}.mjs`));
  return [...(container?.Environment ?? []), ...(container?.Secrets ?? [])].map(({ Name }) => Name);
}

/** Every variable has a value with which the entry point goes on to read the next. */
const VALUES = {
  ...Object.fromEntries(Object.values(ENVIRONMENT_VARIABLES).map((name) => [name, 'http://127.0.0.1:1/x'])),
  ...Object.fromEntries(Object.values(FRONT_DOOR_VARIABLES).map((name) => [name, ''])),
  ...Object.fromEntries((Object.keys(SETTINGS) as SettingName[]).map((name) => [variableOf(name), ''])),
  ...Object.fromEntries(Object.values(ORCHESTRATOR_VARIABLES).map((name) => [name, ''])),
  ...Object.fromEntries(Object.values(PROBE_VARIABLES).map((name) => [name, 'https://127.0.0.1:1'])),
  [FRONT_DOOR_VARIABLES.edgePort]: '0',
  [FRONT_DOOR_VARIABLES.keyHolder]: 'https://127.0.0.1:1',
};
const UPSTREAM = {
  [FRONT_DOOR_VARIABLES.upstream]: 'https://127.0.0.1:1',
  [FRONT_DOOR_VARIABLES.certificate]: 'x',
  [FRONT_DOOR_VARIABLES.certificateKey]: 'x',
  [FRONT_DOOR_VARIABLES.trusted]: 'x',
  [FRONT_DOOR_VARIABLES.compilerUpstream]: 'https://127.0.0.1:1',
};

/** The modules of a container. The thread of a plan reads its variables before its plan. */
function modulesOf(entry: 'edge' | 'authority' | 'broker'): readonly string[] {
  return [`${entry}.mjs`, ...(entry === 'authority' ? ['plan-worker.mjs'] : [])];
}

function folderOf(name: string): string {
  const [, folder] = Object.entries(stack.functions).find(([id]) => id.startsWith(name)) ?? [];
  if (folder === undefined) throw new Error(`no function ${name}`);
  return folder;
}

/**
 * Runs the code that an entry point runs in AWS, without any AWS there, and tells which of our
 * variables it read.
 */
function readBy(code: string, values: Readonly<Record<string, string>> = {}): readonly string[] {
  const { output } = spawnSync(process.execPath, ['--import', RECORDER, '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: 300_000,
    encoding: 'utf8',
    env: {
      ...process.env,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_MAX_ATTEMPTS: '1',
      RECORDED_VALUES: JSON.stringify({ ...VALUES, ...values }),
    },
  });
  return (output[3] ?? '').split('\n').filter((line) => line !== '');
}

/** Calls the function whose logical id begins so, in its bundle. */
const CALL = (name: string, event: unknown) => () =>
  `const { handler } = await import(${JSON.stringify(join(folderOf(name), 'index.mjs'))}); await handler(${JSON.stringify(event)}, {}).catch(() => {}); process.exit(0);`;
const REQUEST = {
  version: '2.0',
  rawPath: '/status/v1/simple',
  rawQueryString: '',
  headers: {},
  requestContext: { http: { method: 'GET', path: '/status/v1/simple' }, domainName: 'x' },
};

/**
 * Who neither sends jobs nor takes them does not even know where a queue is; who takes them says
 * when they come again.
 */
const QUEUES = [
  ENVIRONMENT_VARIABLES.waitingQueueUrl,
  ENVIRONMENT_VARIABLES.expressQueueUrl,
  ENVIRONMENT_VARIABLES.backgroundQueueUrl,
  ENVIRONMENT_VARIABLES.deadLetterQueueUrls,
  ENVIRONMENT_VARIABLES.fanOutQueueUrl,
  ENVIRONMENT_VARIABLES.fanOutDeadLetterQueueUrl,
];
const NONE: readonly string[] = [];

const ENTRIES: readonly (readonly [
  name: string,
  code: () => string,
  set: () => readonly string[],
  withheld: readonly string[],
])[] = [
  [
    'compile',
    CALL('WorkersCompile', { Records: [] }),
    () => setForFunction('WorkersCompile'),
    [
      ENVIRONMENT_VARIABLES.deadLetterQueueUrls,
      ENVIRONMENT_VARIABLES.fanOutQueueUrl,
      ENVIRONMENT_VARIABLES.fanOutDeadLetterQueueUrl,
    ],
  ],
  ['exports', CALL('WorkersExports', { Records: [] }), () => setForFunction('WorkersExports'), NONE],
  ['notify', CALL('NotifyRecord', { Records: [] }), () => setForFunction('NotifyRecord'), QUEUES],
  ['fan-out', CALL('WorkersFanOut', { Records: [] }), () => setForFunction('WorkersFanOut'), NONE],
  ['prune', CALL('WorkersPrune', {}), () => setForFunction('WorkersPrune'), QUEUES],
  ['feed', CALL('WorkersFeed', {}), () => setForFunction('WorkersFeed'), NONE],
  ['probe', CALL('ProbeRun', { time: '2026-01-02T03:04:05Z' }), () => setForFunction('ProbeRun'), NONE],
  ['api', CALL('FrontDoorApp', REQUEST), () => setForFunction('FrontDoorApp'), NONE],
  ...(['edge', 'authority', 'broker'] as const).map(
    (entry) =>
      [
        entry,
        () =>
          modulesOf(entry)
            .map((name) => `await import(${JSON.stringify(join(stack.image, name))});`)
            .join('\n'),
        () => setForContainer(entry),
        NONE,
      ] as const,
  ),
];

describe('the environment variables', () => {
  it.each(ENTRIES)(
    'that %s reads are set by its construct, and no others',
    (_, code, set, withheld) => {
      const read = new Set([...readBy(code()), ...readBy(code(), UPSTREAM)]);
      expect(read.size).toBeGreaterThan(3);
      const ours = set().filter((name) => name.startsWith('UNDERSTUDY_'));
      expect(ours.toSorted()).toEqual([...read].filter((name) => !withheld.includes(name)).toSorted());
    },
    120_000,
  );

  it('of functions fit into the 4 KB that Lambda has for them', () => {
    const functions = template.findResources('AWS::Lambda::Function') as Record<string, FunctionResource>;
    for (const { Properties } of Object.values(functions)) {
      expect(JSON.stringify(Properties.Environment?.Variables ?? {}).length).toBeLessThan(4096);
    }
  });

  it('of the feeder, which the outputs name, are those that commands need, and none of them is a secret', () => {
    const outputs = template.findOutputs('FeedFunction');
    expect(outputs.FeedFunction?.Value).toEqual({ Ref: expect.stringMatching(/^WorkersFeed/) });
    const ours = setForFunction('WorkersFeed').filter(
      (name) => name.startsWith('UNDERSTUDY_') && !/_(RING_TURN|VOLATILE_REST|ALERT_URL)$/.test(name),
    );
    const stores = Object.keys(ENVIRONMENT_VARIABLES).filter((name) => /Table$|QueueUrls?$|^bucket$/.test(name));
    expect(ours.toSorted()).toEqual(
      stores.map((name) => ENVIRONMENT_VARIABLES[name as keyof typeof ENVIRONMENT_VARIABLES]).toSorted(),
    );
    expect(template.findOutputs('AuthorityKeyArn')).not.toEqual({});
    expect(readFileSync('infra/README.md', 'utf8')).toContain(`export ${FRONT_DOOR_VARIABLES.authorityKey}=`);
  });

  it('hold no secret in the template', () => {
    const text = JSON.stringify(template.findResources('AWS::Lambda::Function'));
    // CloudFormation would fill it in once, and a deploy would not notice that it has changed.
    expect(/\{\{resolve:[^}]*/.exec(text)).toBeNull();
    for (const secret of ['puppet/tls-key', 'puppet/eyaml', 'puppet/alerts', 'puppet/probe#key']) {
      expect(text).toContain(`"secret:${secret}"`);
    }
    expect(setForFunction('WorkersCompile')).toContain('EYAML_KEY');
  });
});
