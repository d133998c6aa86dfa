import { beforeAll, describe, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES } from '../../shared/config/deployment.ts';
import { LETTER_QUEUES } from '../../shared/orchestrator/letters/letter-source.ts';
import { stackOf } from '../helpers/stack-of.ts';

/** Where `understudy dead-letters` finds the dead letters of SQS queues. */
const LISTED = {
  compile: ENVIRONMENT_VARIABLES.deadLetterQueueUrls,
  'fan-out': ENVIRONMENT_VARIABLES.fanOutDeadLetterQueueUrl,
} as const;

/**
 * What Lambda gave up of a stream names a place in that stream, and cannot be sent again. The
 * runbook says for each what repairs it.
 */
const OF_STREAMS = ['QueuesExportsDeadLetters', 'NotifyDeadLetters', 'InventoryDeadLetters'];

type Queue = { readonly Properties: { readonly RedrivePolicy?: unknown } };

let queues: Record<string, Queue>;
let functions: unknown;
let mappings: unknown;

beforeAll(() => {
  const template = stackOf({ 'understudy:inventory': true, 'understudy:orchestrator': true });
  queues = template.findResources('AWS::SQS::Queue') as Record<string, Queue>;
  functions = template.findResources('AWS::Lambda::Function');
  mappings = template.findResources('AWS::Lambda::EventSourceMapping');
});

const nameOf = (id: string) => id.replace(/[0-9A-F]{8}$/, '');
const isNamedIn = (id: string, part: unknown) => JSON.stringify(part ?? null).includes(`"${id}"`);

describe('the dead-letter queues of the stack', () => {
  it('are all either listed by the command, or of a stream', () => {
    const others = Object.keys(queues).filter((id) => queues[id]?.Properties.RedrivePolicy === undefined);
    const ofQueues = others.filter((id) => Object.values(queues).some((one) => isNamedIn(id, one)));
    const ofStreams = others.filter((id) => isNamedIn(id, mappings));
    expect([...ofQueues, ...ofStreams].sort()).toEqual(others.sort());
    expect(ofStreams.map(nameOf).sort()).toEqual(OF_STREAMS.toSorted());
    const variables = Object.values(functions as Record<string, object>).flatMap((one) => findVariables(one));
    const listed = ofQueues.filter((id) =>
      variables.some(([name, value]) => Object.values<string>(LISTED).includes(name) && isNamedIn(id, value)),
    );
    expect(listed).toEqual(ofQueues);
    expect(Object.keys(LISTED).filter((name) => !(LETTER_QUEUES as readonly string[]).includes(name))).toEqual([]);
  });
});

function findVariables(resource: object): readonly (readonly [string, unknown])[] {
  const { Variables = {} } = Object(Object(Object(resource).Properties).Environment);
  return Object.entries(Variables);
}
