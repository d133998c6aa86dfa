import type { TaskOutcome, TaskOutput } from './task-library.ts';

type TaskResult = Readonly<Record<string, unknown>>;

/**
 * Reads an agent's answer. Follows Bolt's Result.for_task: a JSON object on stdout is the result,
 * other text its `_output`; an exit code other than 0 adds an `_error` unless the task gave one.
 */
export function readTaskOutput({ exitcode, stdout = '', stderr = '' }: TaskOutput): TaskOutcome {
  const result: TaskResult = parseObject(stdout) ?? { _output: stdout };
  const hasError = (result._error ?? null) !== null;
  if (exitcode === 0 || hasError) return { state: hasError ? 'failed' : 'finished', result };
  const error = {
    kind: 'puppetlabs.tasks/task-error',
    msg: describeFailure(exitcode, stdout, stderr),
    details: { exit_code: exitcode },
  };
  return { state: 'failed', result: { ...result, _error: error } };
}

function describeFailure(exitcode: number, stdout: string, stderr: string): string {
  const start = `The task failed with exit code ${exitcode}`;
  if (stdout !== '') return start;
  return stderr === '' ? `${start} and no output` : `${start} and no stdout, but stderr contained:\n${stderr}`;
}

function parseObject(text: string): TaskResult | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : null;
  } catch {
    return null;
  }
}
