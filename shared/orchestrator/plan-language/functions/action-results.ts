import type { PuppetError } from '../../../puppet/errors/puppet-error.ts';
import { PuppetHash } from '../../../puppet/types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../../puppet/types/values/values.ts';
import { BoltError, createUnknownTask } from '../bolt-error.ts';
import type { PlainHash, PlanAction, PlanFault, PlanOutcome } from '../plan-effects.ts';
import { fromPlain, hashFrom } from '../plan-json.ts';
import { type AnyResult, ResultSetValue, ResultValue, type TargetValue } from '../plan-objects.ts';
import { type CodePlace, createIssueError, type PlanRun } from '../plan-run.ts';

/** The parts of an action that single functions give. */
export interface ActionRequest extends Pick<PlanAction, 'kind' | 'description' | 'params'> {
  readonly targets: readonly TargetValue[];
  readonly task?: string;
  readonly noop?: boolean;
  readonly paramsByTarget?: Readonly<Record<string, PlainHash>>;
  /** Results that were known before, which come last. */
  readonly others?: readonly AnyResult[];
  /** Whether results of failed targets are returned in place of an error. */
  readonly catchesErrors: boolean;
  /** The function and its object, as errors and results name them. */
  readonly name: string;
  readonly object: string | null;
  readonly resultObject?: string | null;
  readonly resultAction: string;
}

/** An action that began, and the place of its call. */
interface PreparedAction {
  readonly request: ActionRequest;
  readonly place: CodePlace | null;
}

/**
 * Runs an action on targets; `prepare` is called once. Returns a ResultSet. Throws
 * `bolt/run-failure` when a target failed.
 */
export function runAction(run: PlanRun, prepare: () => ActionRequest): ResultSetValue {
  return run.fibers.run<ResultSetValue, PreparedAction>(
    () => {
      const request = prepare();
      const { targets, others = [] } = request;
      if (targets.length === 0) return { done: conclude(run, request, others) };
      const action: PlanAction = {
        kind: request.kind,
        targets: targets.map(({ name }) => name),
        description: request.description,
        task: request.task ?? null,
        params: request.params,
        ...(request.paramsByTarget === undefined ? {} : { paramsByTarget: request.paramsByTarget }),
        noop: request.noop === true,
      };
      return { effect: { kind: 'action', action }, prepared: { request, place: run.findPlace() } };
    },
    (outcome, { request, place }) => {
      const values = takeValues(outcome, place);
      const results = request.targets.map((target, index) => makeResult(run, request, target, values[index], place));
      return conclude(run, request, [...results, ...(request.others ?? [])]);
    },
  );
}

function conclude(run: PlanRun, request: ActionRequest, results: readonly AnyResult[]): ResultSetValue {
  const set = new ResultSetValue(run.types, results);
  if (!set.isOk && !request.catchesErrors) throw createRunFailure(set, request.name, request.object);
  return set;
}

/** The values of an outcome; throws its fault. */
export function takeValues(outcome: PlanOutcome, place: CodePlace | null = null): readonly PlainHash[] {
  if (outcome.kind === 'fault') throw toError(outcome.fault, place);
  return outcome.kind === 'results' ? outcome.values : [];
}

/** The error of a fault: that of an issue of Puppet where the fault names one. */
export function toError({ kind, msg, details }: PlanFault, place: CodePlace | null = null): PuppetError {
  if (kind === 'bolt/issue') return createIssueError(place, String(details.code), msg);
  if (kind === 'bolt/unknown-task') return createUnknownTask(String(details.task));
  return new BoltError(msg, kind, new Map(Array.from(hashFrom(details), ([key, one]) => [String(key), one])));
}

/** Follows lib/bolt/error.rb (RunFailure). */
export function createRunFailure(
  set: ResultSetValue,
  action: string,
  object: string | null,
  kind = 'bolt/run-failure',
): BoltError {
  const count = set.failed.length;
  const shown = object === null ? '' : ` '${object}'`;
  const message = `${action}${shown} failed on ${count} target${count === 1 ? '' : 's'}`;
  return new BoltError(message, kind, { action, object, result_set: set });
}

function makeResult(
  run: PlanRun,
  request: ActionRequest,
  target: TargetValue,
  given: PlainHash | undefined,
  place: CodePlace | null,
): AnyResult {
  const plain = given ?? {};
  const object = request.resultObject ?? request.object;
  const value = request.kind === 'task' ? taskValue(plain, place) : actionValue(request, plain, target, place);
  return new ResultValue(run.types, target, value, request.resultAction, object);
}

function placeEntries(place: CodePlace | null): readonly (readonly [string, Value])[] {
  return place === null
    ? []
    : [
        ['file', place.file],
        ['line', place.line],
      ];
}

// Bolt: details have the place of the call, lib/bolt/result.rb (for_task).
function taskValue(plain: PlainHash, place: CodePlace | null): PuppetHash {
  const value = hashFrom(plain);
  const error = value.get('_error') ?? null;
  if (error !== null) value.set('_error', completeError(error, place));
  const secret = value.get('_sensitive');
  if (secret !== undefined) value.set('_sensitive', new Sensitive(secret));
  return value;
}

function completeError(error: Value, place: CodePlace | null): PuppetHash {
  if (!(error instanceof PuppetHash)) return PuppetHash.of([['msg', String(error)], ['kind', 'bolt/error'], ['details', new PuppetHash()]]); // biome-ignore format: short
  const details = error.get('details');
  const isOurs = error.get('kind') === 'puppetlabs.tasks/task-error' && details instanceof PuppetHash;
  const completed = PuppetHash.of(error);
  if (isOurs && details.has('exit_code') && !details.has('file')) {
    completed.set('details', PuppetHash.of([...placeEntries(place), ...details]));
    if (!completed.has('issue_code')) completed.set('issue_code', 'TASK_ERROR');
  }
  if ((completed.get('kind') ?? null) === null) completed.set('kind', 'bolt/error');
  if ((completed.get('details') ?? null) === null) completed.set('details', PuppetHash.of(placeEntries(place)));
  return completed;
}

// Bolt: lib/bolt/result.rb (for_command, for_upload)
function actionValue(
  { kind, resultObject, params }: ActionRequest,
  plain: PlainHash,
  target: TargetValue,
  place: CodePlace | null,
): PuppetHash {
  if (kind === 'upload' && plain._error === undefined) {
    return hashFrom({ _output: `Uploaded '${resultObject}' to '${target.name}:${String(params.path)}'` });
  }
  if (kind !== 'command' && kind !== 'script') return hashFrom(plain);
  if (plain._error !== undefined) return hashFrom(plain);
  const { stdout = '', stderr = '', exit_code: code = 0 } = plain;
  const value = hashFrom({
    stdout,
    stderr,
    merged_output: plain.merged_output ?? `${stdout}${stderr}`,
    exit_code: code,
  });
  if (code === 0) return value;
  const details = PuppetHash.of([...placeEntries(place), ['exit_code', fromPlain(code)]]);
  const error = PuppetHash.of([
    ['kind', 'puppetlabs.tasks/command-error'],
    ['issue_code', 'COMMAND_ERROR'],
    ['msg', `The command failed with exit code ${String(code)}`],
    ['details', details],
  ]);
  return value.set('_error', error);
}
