import type { JobSchedule, ScheduleRecord } from '../../store/ports/job-records.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import { type BodyType, checkBody, invalidRequest, type JsonObject, objectOf, textOf } from './request-body.ts';

/** A scheduled job as a request describes it; `input` holds sensitive values too. */
export interface ScheduleRequest
  extends Pick<ScheduleRecord, 'type' | 'isEnabled' | 'environment' | 'description' | 'userdata' | 'schedule'> {
  readonly input: JsonObject;
}

const TYPES = ['deploy', 'task', 'plan'] as const;
const KEYS: Readonly<Record<string, BodyType>> = {
  type: 'string',
  enabled: 'boolean',
  environment: 'string',
  description: 'string',
  input: 'object',
  userdata: 'object',
  schedule: 'object',
};
/** The longest interval: a year. */
const MOST_SECONDS = 366 * 24 * 3600;

/** Checks the body of `scheduled_jobs/environment_jobs`. Throws OrchestratorError. */
export function readScheduleRequest(given: JsonObject, now: number): ScheduleRequest {
  const body = checkBody(given, KEYS, ['type', 'environment', 'input', 'schedule']);
  const type = TYPES.find((one) => one === body.type);
  if (type === undefined) throw invalidRequest("type must be 'deploy', 'task' or 'plan'", { type: body.type });
  const input = objectOf(body, 'input');
  if (type !== 'deploy' && textOf(input, 'name') === '') throw invalidRequest('input.name is required');
  if (type !== 'plan' && !isJsonObject(input.scope)) throw invalidRequest('input.scope is required');
  return {
    type,
    isEnabled: body.enabled !== false,
    environment: textOf(body, 'environment'),
    description: textOf(body, 'description'),
    userdata: objectOf(body, 'userdata'),
    schedule: readSchedule(objectOf(body, 'schedule'), now),
    input,
  };
}

/** Reads the body of the old commands `schedule_deploy`, `schedule_task` and `schedule_plan`. */
export function readOldSchedule(type: ScheduleRecord['type'], given: JsonObject, now: number): ScheduleRequest {
  const { scheduled_time, schedule_options, environment, description, userdata, ...command } = given;
  if (typeof scheduled_time !== 'string') throw invalidRequest('scheduled_time is required');
  const options = checkBody({ schedule_options: schedule_options ?? null }, { schedule_options: 'object' }, []);
  const { interval = null } = checkBody(objectOf(options, 'schedule_options'), { interval: 'object' }, []);
  // These are keys of the new body: one beside its old form would be ignored, with a noop in it.
  for (const key of ['name', 'parameters']) {
    if (key in command) throw invalidRequest(`${key} is not a known key`, { [key]: command[key] });
  }
  const { task, plan_name, params, ...rest } = command;
  const named = type === 'deploy' ? command : { ...rest, name: task ?? plan_name, parameters: params ?? {} };
  const body = { type, environment: environment ?? 'production', description, userdata, input: named };
  const whole = { ...body, schedule: { start_time: scheduled_time, interval } };
  return readScheduleRequest(Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)), now);
}

function readSchedule(given: JsonObject, now: number): JobSchedule {
  const { start_time, interval } = checkBody(given, { start_time: 'string', interval: 'object' }, ['start_time']);
  const startAt = Date.parse(String(start_time));
  if (Number.isNaN(startAt)) throw invalidRequest('schedule.start_time must be an ISO 8601 time', { start_time });
  if (startAt < now) {
    throw new OrchestratorError('invalid-time', `The start time ${String(start_time)} is in the past`, { start_time });
  }
  if (!isJsonObject(interval)) return { startAt, intervalMs: null };
  const { value, units } = interval;
  const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= MOST_SECONDS;
  if (!isRight || units !== 'seconds') {
    throw invalidRequest(`schedule.interval must have a value from 1 to ${MOST_SECONDS}, and units 'seconds'`, {
      interval,
    });
  }
  return { startAt, intervalMs: value * 1000 };
}

/** When a scheduled job runs next, at `now` or later; null when it does not. */
export function findNextRun({ startAt, intervalMs }: JobSchedule, now: number): number | null {
  if (startAt >= now) return startAt;
  if (intervalMs === null) return null;
  return startAt + Math.ceil((now - startAt) / intervalMs) * intervalMs;
}
