import { expect, it } from 'vitest';
import type { TaskOutcome, TaskOutput } from '../../../../shared/orchestrator/tasks/task-library.ts';
import { readTaskOutput } from '../../../../shared/orchestrator/tasks/task-result.ts';

const failure = (exit_code: number, more = '') => ({
  kind: 'puppetlabs.tasks/task-error',
  msg: `The task failed with exit code ${exit_code}${more}`,
  details: { exit_code },
});

it.each<[string, TaskOutput, TaskOutcome]>([
  ['an object', { exitcode: 0, stdout: ' {"a": [1]}\n' }, { state: 'finished', result: { a: [1] } }],
  ['text', { exitcode: 0, stdout: 'hi\n' }, { state: 'finished', result: { _output: 'hi\n' } }],
  ['a JSON list', { exitcode: 0, stdout: '[1]' }, { state: 'finished', result: { _output: '[1]' } }],
  ['a JSON null', { exitcode: 0, stdout: 'null' }, { state: 'finished', result: { _output: 'null' } }],
  ['nothing', { exitcode: 0 }, { state: 'finished', result: { _output: '' } }],
  ['warnings', { exitcode: 0, stderr: 'hm\n' }, { state: 'finished', result: { _output: '' } }],
  [
    'an object and a failure',
    { exitcode: 2, stdout: '{"a": 1}' },
    { state: 'failed', result: { a: 1, _error: failure(2) } },
  ],
  ['no error, named', { exitcode: 0, stdout: '{"_error": null}' }, { state: 'finished', result: { _error: null } }],
  [
    'an error of its own',
    { exitcode: 9, stdout: '{"_error": {"msg": "no"}}' },
    { state: 'failed', result: { _error: { msg: 'no' } } },
  ],
  [
    'an error and success',
    { exitcode: 0, stdout: '{"_error": {"msg": "no"}}' },
    { state: 'failed', result: { _error: { msg: 'no' } } },
  ],
  [
    'a failure with text',
    { exitcode: 1, stdout: ' ', stderr: 'x' },
    { state: 'failed', result: { _output: ' ', _error: failure(1) } },
  ],
  [
    'a failure that says why',
    { exitcode: 1, stderr: 'oops\n' },
    { state: 'failed', result: { _output: '', _error: failure(1, ' and no stdout, but stderr contained:\noops\n') } },
  ],
  [
    'a silent failure',
    { exitcode: 127 },
    { state: 'failed', result: { _output: '', _error: failure(127, ' and no output') } },
  ],
])('reads %s', (_, output, outcome) => {
  expect(readTaskOutput(output)).toEqual(outcome);
});
