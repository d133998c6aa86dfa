import type { Subject } from '../../access/accounts/access-control.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { ScheduleRecord } from '../../store/ports/job-records.ts';
import type { JobStore, Ledger } from '../../store/ports/job-store.ts';
import type { KeyVault } from '../../store/ports/secrets.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { readDeployRequest } from './deploy-request.ts';
import { describeOwner, type JobService } from './job-service.ts';
import { keepValue, readKeptValue } from './kept-values.ts';
import { OrchestratorError } from './orchestrator-error.ts';
import type { Permissions, Requester } from './permissions.ts';
import type { PlanService } from './plan-service.ts';
import { type JsonObject, textOf } from './request-body.ts';
import { commandBody, readScheduleParameters, showInput } from './schedule-input.ts';
import { findNextRun, readScheduleRequest, type ScheduleRequest } from './schedule-request.ts';
import { readScope } from './targets.ts';
import { readTaskRequest } from './task-request.ts';

interface ScheduleParts {
  readonly store: JobStore;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly clock: Clock;
  readonly permissions: Permissions;
  readonly jobs: JobService;
  readonly plans: PlanService;
  readonly vault: KeyVault;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** The kept value `input`: what is shown, and the sealed whole when a part of it is sensitive. */
interface KeptInput {
  readonly shown: JsonObject;
  readonly sealed: string | null;
}

const PAGE = 500;
const MOST_IN_HEAD_BYTES = 4096;
const TICK_MS = 1000;
/** Interval of reading scheduled jobs again, for those that other processes made. */
const REFRESH_MS = 30_000;

/**
 * Scheduled jobs. One that is due is first moved on to its next time, by compare-and-swap, then
 * run: of several processes one runs it, and a process that dies in between leaves out one run.
 */
export class ScheduleService {
  readonly #parts: ScheduleParts;
  #known: readonly { readonly number: number; readonly nextRunAt: number }[] = [];
  #refreshAt = 0;
  /** No other process has it. */
  readonly #process: string;
  #names = 0;

  constructor(parts: ScheduleParts) {
    const { clock } = parts;
    this.#parts = parts;
    this.#process = `${clock.now()}-${Math.floor(clock.random() * 2 ** 32).toString(16)}`;
  }

  /** Returns the number. Rejects with OrchestratorError. */
  async create(owner: Subject, request: ScheduleRequest): Promise<number> {
    const { store, jobs } = this.#parts;
    const sensitive = await this.#check(owner, request);
    if (request.environment !== '') await jobs.requireEnvironment(request.environment);
    const number = await store.takeNumbers('schedules', 1);
    const record = await this.#makeRecord(number, request, sensitive, describeOwner(owner));
    await store.create('schedule', number, record, { isOpen: false, expiresAt: null });
    this.#refreshAt = 0;
    return number;
  }

  /**
   * Replaces top-level keys. Any change but disabling it needs the permission to run what it
   * becomes. Rejects with OrchestratorError.
   */
  async update(subject: Subject, number: number, change: JsonObject): Promise<void> {
    const { store, clock } = this.#parts;
    const ledger = await this.get(number);
    const { body } = ledger;
    if (!body.isEnabled) {
      const details = { scheduled_job: String(number) };
      throw new OrchestratorError('disabled-scheduled-job', `Scheduled job ${number} is disabled`, details);
    }
    await this.#demandOwn(subject, body);
    const isDeletion = change.enabled === false && Object.keys(change).length === 1;
    const next = isDeletion
      ? { ...body, isEnabled: false, nextRunAt: null }
      : await this.#change(subject, ledger, change, clock.now());
    if (!(await store.commit('schedule', number, ledger.version, { body: next }, this.#makeName('put')))) {
      throw new OrchestratorError('unknown-error', `Scheduled job ${number} was changed meanwhile`);
    }
    this.#refreshAt = 0;
  }

  /** The deletion of the old API. Rejects with OrchestratorError. */
  async remove(subject: Subject, number: number): Promise<void> {
    const { body } = await this.get(number);
    await this.#demandOwn(subject, body);
    await this.#parts.store.remove('schedule', number);
    this.#refreshAt = 0;
  }

  async get(number: number): Promise<Ledger<ScheduleRecord>> {
    const found = await this.#parts.store.get('schedule', number);
    if (found !== null) return found;
    const details = { scheduled_job: String(number) };
    throw new OrchestratorError('unknown-scheduled-job', `Unknown scheduled job ${number}`, details);
  }

  async list(): Promise<readonly Ledger<ScheduleRecord>[]> {
    const found: Ledger<ScheduleRecord>[] = [];
    for (;;) {
      const page = await this.#parts.store.list('schedule', found.at(-1)?.number ?? 0, PAGE);
      found.push(...page);
      if (page.length < PAGE) return found;
    }
  }

  /** Reads the input that may be shown. */
  async readInput(record: ScheduleRecord): Promise<JsonObject> {
    return (await this.#readKept(record))?.shown ?? {};
  }

  /** Runs what is due. */
  async tick(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now >= this.#refreshAt) {
      this.#refreshAt = now + REFRESH_MS;
      this.#known = (await this.list()).flatMap(({ number, body: { nextRunAt } }) =>
        nextRunAt === null ? [] : [{ number, nextRunAt }],
      );
    }
    for (const { number, nextRunAt } of this.#known) if (nextRunAt <= now) await this.#run(number, now);
  }

  /** Runs scheduled jobs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, reportFailure } = this.#parts;
    while (!signal.aborted) {
      await this.tick().catch((error: unknown) => reportFailure('Scheduled jobs could not be run', error));
      await clock.sleep(TICK_MS, signal);
    }
  }

  /** A name that is used once: another process may do the same in the same millisecond. */
  #makeName(purpose: string): string {
    this.#names += 1;
    return `${purpose}-${this.#process}-${this.#names}`;
  }

  async #run(number: number, now: number): Promise<void> {
    const { store } = this.#parts;
    this.#refreshAt = 0;
    const ledger = await store.get('schedule', number);
    if (ledger === null || ledger.body.nextRunAt === null || ledger.body.nextRunAt > now) return;
    const { body, version } = ledger;
    const begun = { at: now, job: null, error: 'The run was begun, and not submitted' };
    const moved = { ...body, nextRunAt: findNextRun(body.schedule, now + 1), lastRun: begun };
    if (!(await store.commit('schedule', number, version, { body: moved }, this.#makeName('run')))) return;
    const outcome = await this.#submit(number, body);
    const last = { ...moved, lastRun: { at: now, ...outcome } };
    await store.commit('schedule', number, version + 1, { body: last }, this.#makeName('ran'));
  }

  async #submit(
    number: number,
    record: ScheduleRecord,
  ): Promise<{ readonly job: number | null; readonly error: string | null }> {
    const { jobs, plans } = this.#parts;
    try {
      const owner = await this.#findRequester(record);
      const input = await this.#openInput(record);
      const body = commandBody(record, input);
      if (record.type === 'deploy') return { job: await jobs.deploy(owner, body), error: null };
      if (record.type === 'task') {
        const { sensitive } = readScheduleParameters(input);
        return { job: await jobs.runTask(owner, body, { sensitive }), error: null };
      }
      const { sensitive } = readScheduleParameters(input);
      return { job: await plans.run(owner, body, { sensitive, scheduledJob: number }), error: null };
    } catch (error) {
      if (!(error instanceof OrchestratorError)) this.#parts.reportFailure('A scheduled job could not be run', error);
      return { job: null, error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** With the permissions of now, which both owner and changer have. */
  async #findRequester({ owner, changer }: ScheduleRecord): Promise<Requester> {
    const { permissions } = this.#parts;
    const subject = await permissions.findCurrent(owner);
    return changer === undefined ? subject : { ...subject, boundBy: await permissions.findCurrent(changer) };
  }

  /**
   * Refuses what the user could not run now, and what could not be run at all. Returns the names of
   * the sensitive parameters.
   */
  async #check(subject: Subject, request: ScheduleRequest): Promise<readonly string[]> {
    const { jobs, plans } = this.#parts;
    const { type, input, environment } = request;
    const name = textOf(input, 'name');
    const { sensitive } = readScheduleParameters(input);
    const body = commandBody(request, input);
    if (type === 'plan') {
      await jobs.rights.demandPlan(subject, name);
      return [...new Set([...sensitive, ...(await plans.listSecrets(name, environment, body))])];
    }
    if (type === 'deploy') {
      await jobs.rights.demandPuppet(subject);
      await jobs.rights.demandScope(subject, readDeployRequest(body).scope);
      return sensitive;
    }
    const task = await jobs.findTask(environment, name);
    const scope = readScope(input.scope);
    await jobs.rights.demandScope(subject, scope);
    await jobs.rights.demandTask(subject, name, environment, () => jobs.find(subject, scope, environment));
    const asked = readTaskRequest(body);
    jobs.checkTask(task, asked);
    return [...new Set([...sensitive, ...task.sensitive.filter((one) => asked.params[one] !== undefined)])];
  }

  async #change(
    subject: Subject,
    { number, body: record }: Ledger<ScheduleRecord>,
    change: JsonObject,
    now: number,
  ): Promise<ScheduleRecord> {
    const request = readScheduleRequest(await this.#merge(record, change, now), now);
    const sensitive = await this.#check(subject, request);
    if (request.environment !== '') await this.#parts.jobs.requireEnvironment(request.environment);
    const next = await this.#makeRecord(number, request, sensitive, record.owner);
    const changer = subject.id === record.owner.id ? {} : { changer: describeOwner(subject) };
    return { ...next, ...changer, lastRun: record.lastRun };
  }

  async #merge(record: ScheduleRecord, change: JsonObject, now: number): Promise<JsonObject> {
    const { type, environment, description, userdata, schedule, isEnabled } = record;
    const { startAt, intervalMs } = schedule;
    const interval = intervalMs === null ? null : { value: intervalMs / 1000, units: 'seconds' };
    const start = findNextRun(schedule, now) ?? startAt;
    return {
      type,
      environment,
      description,
      userdata,
      enabled: isEnabled,
      input: await this.#openInput(record),
      schedule: { start_time: new Date(start).toISOString(), interval },
      ...change,
    };
  }

  async #makeRecord(
    number: number,
    { input, ...request }: ScheduleRequest,
    sensitive: readonly string[],
    owner: ScheduleRecord['owner'],
  ): Promise<ScheduleRecord> {
    const { blobs, vault } = this.#parts;
    const kept: KeptInput = {
      shown: showInput(input, sensitive),
      sealed: sensitive.length > 0 ? await vault.seal(JSON.stringify(input)) : null,
    };
    return {
      ...request,
      owner,
      input: await keepValue(blobs, `schedules/${number}/${this.#makeName('input')}`, kept, MOST_IN_HEAD_BYTES),
      nextRunAt: request.isEnabled ? request.schedule.startAt : null,
      lastRun: null,
    };
  }

  async #openInput(record: ScheduleRecord): Promise<JsonObject> {
    const kept = await this.#readKept(record);
    if (kept === null) throw new OrchestratorError('unknown-error', 'The input of the scheduled job is lost');
    if (kept.sealed === null) return kept.shown;
    const opened: unknown = JSON.parse(await this.#parts.vault.open(kept.sealed));
    return isJsonObject(opened) ? opened : {};
  }

  async #readKept({ input }: ScheduleRecord): Promise<KeptInput | null> {
    return (await readKeptValue(this.#parts.blobs, input)) as KeptInput | null;
  }

  async #demandOwn(subject: Subject, { owner }: ScheduleRecord): Promise<void> {
    if (subject.id === owner.id) return;
    if (await this.#parts.permissions.permits(subject, 'scheduled_jobs', 'delete', owner.id)) return;
    const message = `User ${subject.login} is not permitted to change scheduled jobs of ${owner.login}`;
    throw new OrchestratorError('not-permitted', message);
  }
}
