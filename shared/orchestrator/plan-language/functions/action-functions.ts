import type { PuppetError } from '../../../puppet/errors/puppet-error.ts';
import { HashType } from '../../../puppet/types/collection-types.ts';
import { DATA } from '../../../puppet/types/data-types.ts';
import { inspectRuby } from '../../../puppet/types/format/ruby-text.ts';
import { inferSet } from '../../../puppet/types/inference.ts';
import { describeMismatch } from '../../../puppet/types/mismatch-describer.ts';
import { rubyClassName } from '../../../puppet/types/ruby-class.ts';
import { STRING } from '../../../puppet/types/string-types.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../../puppet/types/values/values.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { createRefusal, createValidationError } from '../bolt-error.ts';
import type { PlainHash } from '../plan-effects.ts';
import { toPlanJson } from '../plan-json.ts';
import { type AnyResult, ResultValue, type TargetValue } from '../plan-objects.ts';
import { createIssueError, type PlanRun } from '../plan-run.ts';
import { type ActionRequest, runAction } from './action-results.ts';
import { findPlanFile } from './file-functions.ts';
import { definePlanFunction, findOption, isOn, type PlanFunctions, splitOptions } from './plan-function.ts';

const OPTIONS = '?Hash[String[1], Any] options';
const TARGETS = 'Boltlib::TargetSpec targets';

/** Dispatches with and without a description after `params`. */
function withDescription(
  params: readonly string[],
  call: (args: readonly Value[], description: string | null, options: Value) => Value,
  description = 'String description',
  options = OPTIONS,
) {
  const count = params.length;
  return [
    {
      params: [...params, options],
      returns: 'Any',
      body: (_: unknown, args: readonly Value[]) => call(args, null, args[count] ?? null),
    },
    {
      params: [...params, description, options],
      returns: 'Any',
      body: (_: unknown, args: readonly Value[]) => {
        const text = args[count];
        return call(args, typeof text === 'string' && text !== '' ? text : null, args[count + 1] ?? null);
      },
    },
  ];
}

/** Functions that have targets do something. */
export const actionFunctions: PlanFunctions = (run) => [
  definePlanFunction(
    run,
    'run_command',
    withDescription(['String[1] command', TARGETS], ([command = '', spec = null], description, options) =>
      runAction(run, () => prepareCommand(run, String(command), spec, description, options)),
    ),
  ),
  definePlanFunction(
    run,
    'run_script',
    withDescription(['String[1] script', TARGETS], ([script = '', spec = null], description, options) =>
      runAction(run, () => prepareScript(run, String(script), spec, description, options)),
    ),
  ),
  definePlanFunction(
    run,
    'run_task',
    withDescription(
      ['String[1] task_name', TARGETS],
      ([task = '', spec = null], description, options) =>
        runAction(run, () => prepareTask(run, String(task), spec, description, options)),
      'Optional[String] description',
      '?Hash[String[1], Any] args',
    ),
  ),
  defineRunTaskWith(run),
  definePlanFunction(
    run,
    'upload_file',
    withDescription(['String[1] source', 'String[1] destination', TARGETS], (args, description, options) =>
      runAction(run, () => prepareUpload(run, args, description, options)),
    ),
  ),
  definePlanFunction(
    run,
    'download_file',
    withDescription(['String[1] source', 'String[1] destination', TARGETS], () => {
      throw createRefusal(
        'download_file() cannot be used in plans on this server: agents send no files, and the server has no folder for them',
      );
    }),
  ),
  definePlanFunction(run, 'write_file', {
    params: ['String content', 'String[1] destination', TARGETS, OPTIONS],
    returns: 'ResultSet',
    body: (_, args) => runAction(run, () => prepareWrite(run, args)),
  }),
  definePlanFunction(run, 'wait_until_available', {
    params: [TARGETS, OPTIONS],
    returns: 'ResultSet',
    body: (_, [spec = null, options]) =>
      runAction(run, () => ({
        kind: 'wait',
        targets: run.targetsOf(spec),
        description: textOr(findOption(options, 'description'), 'wait until available'),
        params: {
          wait_time: toPlanJson(findOption(options, 'wait_time')) ?? 120,
          retry_interval: toPlanJson(findOption(options, 'retry_interval')) ?? 1,
        },
        catchesErrors: isOn(findOption(options, '_catch_errors')),
        name: 'wait_until_available',
        object: null,
        resultObject: textOr(findOption(options, 'description'), 'wait until available'),
        resultAction: 'wait_until_available',
      })),
  }),
];

function prepareCommand(
  run: PlanRun,
  command: string,
  spec: Value,
  description: string | null,
  given: Value,
): ActionRequest {
  const options = splitOptions(given).options;
  const variables = readVariables(findOption(options, 'env_vars'));
  return {
    kind: 'command',
    targets: run.targetsOf(spec),
    description: description ?? `command '${command}'`,
    params: { command: withVariables(variables, command) },
    catchesErrors: isOn(findOption(options, 'catch_errors')),
    name: 'run_command',
    object: command,
    resultAction: 'command',
  };
}

/** Reads `_env_vars`; null without it. */
function readVariables(given: Value): Readonly<Record<string, string>> | null {
  if (!isOn(given)) return null;
  if (!(given instanceof PuppetHash)) throw createValidationError("Option 'env_vars' must be a hash");
  const wrong = [...given.keys()].filter((key) => typeof key !== 'string');
  if (wrong.length > 0) {
    throw createValidationError(`Keys for option 'env_vars' must be strings: ${wrong.map(inspectRuby).join(', ')}`);
  }
  return Object.fromEntries(
    Array.from(given, ([key, value]) => {
      const isPlain = typeof value === 'string';
      return [String(key), isPlain ? value : JSON.stringify(toPlanJson(value))] as const;
    }),
  );
}

// The agent's module for commands sets no variables: a POSIX shell sets them before the command.
function withVariables(variables: Readonly<Record<string, string>> | null, command: string): string {
  const set = Object.entries(variables ?? {}).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`);
  return set.length === 0 ? command : `export ${set.join(' ')}; ${command}`;
}

function prepareScript(
  run: PlanRun,
  script: string,
  spec: Value,
  description: string | null,
  given: Value,
): ActionRequest {
  const { options, rest } = splitOptions(given);
  const list = rest.get('arguments') ?? null;
  if (rest.has('arguments') && rest.has('pwsh_params')) {
    throw createValidationError("Cannot specify both 'arguments' and 'pwsh_params'");
  }
  if (rest.has('pwsh_params')) {
    if (!(rest.get('pwsh_params') instanceof PuppetHash)) {
      throw createValidationError("Option 'pwsh_params' must be a hash");
    }
    throw createRefusal("run_script() has no 'pwsh_params' on this server: agents take arguments by position only");
  }
  if (rest.has('arguments') && !Array.isArray(list)) throw createValidationError("Option 'arguments' must be an array");
  if (readVariables(findOption(options, 'env_vars')) !== null) {
    throw createRefusal("run_script() has no '_env_vars' on this server: agents run scripts in their own environment");
  }
  const { path, bytes } = findPlanFile(run, script, 'file');
  return {
    kind: 'script',
    targets: run.targetsOf(spec),
    description: description ?? `script ${path}`,
    params: {
      content: Buffer.from(bytes).toString('base64'),
      arguments: (Array.isArray(list) ? list : []).map((one) => argumentText(one)),
      name: path.slice(path.lastIndexOf('/') + 1),
    },
    catchesErrors: isOn(findOption(options, 'catch_errors')),
    name: 'run_script',
    object: script,
    resultObject: path,
    resultAction: 'script',
  };
}

function argumentText(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(toPlanJson(value));
}

function prepareTask(run: PlanRun, task: string, spec: Value, description: string | null, given: Value): ActionRequest {
  const { options, rest } = splitOptions(given);
  const targets = run.targetsOf(spec);
  const problem = targets.length === 0 ? null : findDataProblem(run, task, rest);
  if (problem !== null) throw problem;
  return {
    kind: 'task',
    task,
    targets,
    description: description ?? `task ${task}`,
    params: jsonOf(rest),
    noop: run.noop || isOn(findOption(options, 'noop')),
    catchesErrors: isOn(findOption(options, 'catch_errors')),
    name: 'run_task',
    object: task,
    resultAction: 'task',
  };
}

/** The error for parameters that cannot be sent to nodes; null for others. */
function findDataProblem(run: PlanRun, task: string, params: PuppetHash): PuppetError | null {
  if (DATA.isInstance(params)) return null;
  const text = describeMismatch('', new HashType(STRING, DATA), inferSet(params)).trim();
  return createIssueError(run.findPlace(), 'TYPE_MISMATCH', `Task ${task}:\n${text}`);
}

function jsonOf(hash: PuppetHash): PlainHash {
  const plain = toPlanJson(hash);
  return isJsonObject(plain) ? plain : {};
}

function defineRunTaskWith(run: PlanRun) {
  const call = (args: readonly Value[], description: string | null, given: Value, block: Block) => {
    const [task = '', spec = null] = args;
    // The block may run anything: its calls are on their own.
    const targets = run.targetsOf(spec);
    const failed: AnyResult[] = [];
    const paramsByTarget: Record<string, PlainHash> = {};
    const fitting = targets.filter((target) => {
      const params = block(target);
      const problem =
        params instanceof PuppetHash
          ? findDataProblem(run, String(task), params)
          : createIssueError(
              run.findPlace(),
              'TYPE_MISMATCH',
              `Block must return a Hash of parameters, received ${rubyClassName(params)}`,
            );
      if (problem !== null) failed.push(createException(run, target, problem));
      else if (params instanceof PuppetHash) paramsByTarget[target.name] = jsonOf(params);
      return problem === null;
    });
    return runAction(run, () => {
      const { options } = splitOptions(given);
      return {
        kind: 'task',
        task: String(task),
        targets: fitting,
        others: failed,
        description: description ?? `task ${String(task)}`,
        params: {},
        paramsByTarget,
        noop: run.noop || isOn(findOption(options, 'noop')),
        catchesErrors: isOn(findOption(options, 'catch_errors')),
        name: 'run_task',
        object: String(task),
        resultAction: 'task',
      };
    });
  };
  const params = ['String[1] task_name', TARGETS];
  return definePlanFunction(run, 'run_task_with', [
    {
      params: [...params, OPTIONS],
      block: 'Callable[Target] block',
      body: (_, args, block) => call(args, null, args[2] ?? null, (one) => block?.call(one) ?? null),
    },
    {
      params: [...params, 'Optional[String] description', OPTIONS],
      block: 'Callable[Target] block',
      body: (_, args, block) =>
        call(args, typeof args[2] === 'string' ? args[2] : null, args[3] ?? null, (one) => block?.call(one) ?? null),
    },
  ]);
}

type Block = (target: TargetValue) => Value;

// Bolt: lib/bolt/result.rb (from_exception) for an error that is none of Bolt's.
function createException(run: PlanRun, target: TargetValue, error: PuppetError): ResultValue {
  const details = PuppetHash.of([['class', 'Puppet::ParseErrorWithIssue']]);
  const fault = PuppetHash.of([
    ['kind', 'puppetlabs.tasks/exception-error'],
    ['issue_code', 'EXCEPTION'],
    ['msg', error.message],
    ['details', details],
  ]);
  return new ResultValue(run.types, target, PuppetHash.of([['_error', fault]]), 'task', null);
}

function prepareUpload(
  run: PlanRun,
  [source = '', destination = '', spec = null]: readonly Value[],
  description: string | null,
  given: Value,
): ActionRequest {
  const { options } = splitOptions(given);
  const { path, bytes, isFolder } = findPlanFile(run, String(source), 'any');
  return {
    kind: 'upload',
    targets: run.targetsOf(spec),
    description: description ?? `file upload from ${path} to ${String(destination)}`,
    params: {
      path: String(destination),
      content: Buffer.from(bytes).toString('base64'),
      ...(isFolder ? { directory: true } : { mode: 0o644 }),
    },
    catchesErrors: isOn(findOption(options, 'catch_errors')),
    name: 'upload_file',
    object: String(source),
    resultObject: path,
    resultAction: 'upload',
  };
}

function prepareWrite(
  run: PlanRun,
  [content = '', destination = '', spec = null, given]: readonly Value[],
): ActionRequest {
  return {
    kind: 'upload',
    targets: run.targetsOf(spec),
    description: `write file ${String(destination)}`,
    params: { path: String(destination), content: Buffer.from(String(content)).toString('base64'), mode: 0o600 },
    catchesErrors: isOn(findOption(splitOptions(given).options, 'catch_errors')),
    name: 'upload_file',
    object: String(destination),
    resultObject: String(destination),
    resultAction: 'upload',
  };
}

function textOr(value: Value, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
