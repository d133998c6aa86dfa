import { expect, it } from 'vitest';
import { readCompileFailure } from '../../../../shared/fleet/failures/failing-node.ts';
import { readRunFailures } from '../../../../shared/fleet/failures/run-failures.ts';

const CODE = '/etc/puppetlabs/code/environments/production';

it.each([
  [
    `Evaluation Error: Error while evaluating a Function Call, no such tier (file: ${CODE}/manifests/site.pp, line: 6, column: 36) on node web01.test`,
    { message: 'no such tier', file: 'manifests/site.pp', line: 6 },
  ],
  [
    'Evaluation Error: Error while evaluating a Resource Statement, Evaluation Error: Error while evaluating a Function Call, gone (file: x.pp, line: 2, column: 1) on node web01.test',
    { message: 'gone', file: 'x.pp', line: 2 },
  ],
  [
    `Syntax error at '}' (file: ${CODE}/modules/a/manifests/init.pp, line: 4, column: 1) on node web01.test`,
    { message: "Syntax error at '}'", file: 'modules/a/manifests/init.pp', line: 4 },
  ],
  [
    'Could not find class ::ntp for web01.test on node web01.test',
    { message: 'Could not find class ::ntp for web01.test', file: null, line: null },
  ],
  ['(file: x.pp, line: 1)', { message: '(file: x.pp, line: 1)', file: 'x.pp', line: 1 }],
])('reads the failure of a compile: %s', (message, expected) => {
  expect(readCompileFailure(message, 'web01.test')).toEqual({ resource: null, ...expected });
});

const failed = (message: string) => ({
  failed: true,
  file: `${CODE}/manifests/site.pp`,
  line: 3,
  events: [
    { status: 'success', message: 'defined content' },
    { status: 'failure', message },
  ],
});

it('reads the failed resources of a run', () => {
  const statuses = {
    'File[/a]': failed('No space left on device'),
    'File[/b]': { failed: false, skipped: true, events: [] },
    'Service[ntp]': { failed: false, failed_to_restart: true, events: [] },
    'Exec[x]': { failed: true, events: [] },
  };
  const logs = [
    { level: 'notice', source: '/Stage[main]/Main/Service[ntp]/ensure', message: 'triggered' },
    { level: 'err', source: '/Stage[main]/Main/Service[ntp]', message: 'Failed to call refresh' },
  ];
  expect(readRunFailures(statuses, logs)).toEqual({
    failures: [
      { resource: 'File[/a]', message: 'No space left on device', file: 'manifests/site.pp', line: 3 },
      { resource: 'Service[ntp]', message: 'Failed to call refresh', file: null, line: null },
      { resource: 'Exec[x]', message: 'failed', file: null, line: null },
    ],
    failed: 3,
  });
});

it('bounds what it keeps', () => {
  const statuses = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`File[/${index}]`, failed('é'.repeat(9000))]),
  );
  const { failures, failed: count } = readRunFailures(statuses, []);
  expect([failures.length, count, failures[0]?.message.length]).toEqual([10, 40, 500]);
});

it.each([
  [
    [{ level: 'err', source: 'Puppet', message: 'Could not retrieve catalog; skipping run' }],
    'Could not retrieve catalog; skipping run',
  ],
  [[], 'the run failed, and its report has no error'],
  ['nonsense', 'the run failed, and its report has no error'],
])('reads the errors of a run without failed resources: %j', (logs, message) => {
  expect(readRunFailures({}, logs)).toEqual({
    failures: [{ resource: null, message, file: null, line: null }],
    failed: 0,
  });
});
