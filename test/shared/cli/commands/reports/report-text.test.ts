import { expect, it } from 'vitest';
import { printAgentReport } from '../../../../../shared/cli/commands/reports/report-text.ts';

it('prints the resources that failed or changed and the log of a run, without control characters', () => {
  const report = {
    status: 'failed',
    noop: true,
    environment: 'production',
    configuration_version: 17,
    transaction_uuid: 'u-1',
    resource_statuses: {
      'File[/a]': { failed: true, events: [{ message: 'No space\u001b[2J left' }, { message: null }] },
      'File[/b]': { changed: true, events: [] },
      'File[/c]': { out_of_sync: true },
      'File[/d]': { skipped: true },
      'File[/e]': {},
    },
    logs: [
      { level: 'info', source: 'Puppet', message: 'Applying' },
      { level: 'err', source: '/a', message: 'No space left' },
    ],
  };
  expect(printAgentReport('a.example.com', report)).toBe(`Node:           a.example.com
Status:         failed (no-op)
Environment:    production
Configuration:  17
Transaction:    u-1

Resources:
  File[/a] failed: No space [2J left
  File[/b] changed
  File[/c] would change
  File[/d] skipped

Log:
  err: /a: No space left
`);
});

it.each([null, [], 'x', { resource_statuses: 1, logs: {} }])('prints what there is of %j', (report) => {
  expect(printAgentReport('a', report)).toBe('Node:    a\nStatus:  unknown\n');
});
