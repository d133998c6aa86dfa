import type { AnswerOf, ApiSchema } from '../../../api/described-answers.ts';
import { NoSuchEnvironment } from '../../../fleet/code/scan-environment.ts';
import { DeployRefused } from '../../../fleet/previews/deploy-verdict.ts';
import { beginStage } from '../../../fleet/stages/begin-stage.ts';
import { endStage, type FinishedStage, NoSuchStage, promoteStage } from '../../../fleet/stages/finish-stage.ts';
import { type ShownStage, showStages } from '../../../fleet/stages/show-stage.ts';
import {
  type CanaryChoice,
  checkChoice,
  createStagePlan,
  InvalidStage,
  type StageOptions,
} from '../../../fleet/stages/stage-plan.ts';
import type { StagePlan } from '../../../store/ports/environment-store.ts';
import { type Deployer, demandDeployer } from '../../deploy-token.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { badRequestError, jsonRefusal, notFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CodeRouteServices } from '../../services.ts';
import { findCode } from './find-code.ts';

const MALFORMED = 'understudy/invalid-stage';
const KEYS = ['environment', 'codeId', 'canaries', 'minutes', 'whenGood', 'whenWorse', 'whenLate', 'countsChanges'];
const PREFIX = '/understudy/v1/deploys/stage';

type Body = Readonly<Record<string, unknown>>;

/** `GET environments/<name>/stage`: the staged deploy, and how its canaries do. */
export const getStage = createRoute<CodeRouteServices>(
  'GET',
  '/understudy/v1/environments/:environment/stage',
  async (context, services) => {
    const name = context.req.param('environment') ?? '';
    if (!/^\w{1,255}$/.test(name)) throw badRequestError(`'${name}' is not an environment`);
    const [stage] = await showStages(services, name);
    if (stage === undefined) throw notFoundError(`environment '${name}' has no staged deploy`);
    return sendJson(context, describeStage(stage));
  },
);

function describeStage({ by, plan, ...stage }: ShownStage): ApiSchema<'Stage'> {
  const { waitMs, ...ends } = plan;
  return { ...stage, user: by, plan: { minutes: waitMs / 60_000, ...ends } };
}

/**
 * `POST deploys/stage`: puts code in force for canaries alone. `canaries` has `nodes`, `count`,
 * `percent` or `query`, which is PQL. A gate that the policy demands looks at the code first.
 */
export const postStage = createRoute<CodeRouteServices>('POST', PREFIX, async (context, services) => {
  const { environment, body, deployer } = await readDeploy(context, services, KEYS);
  const codeId = readCodeId(body);
  const plan = readPlan(body);
  const canaries = await readChoice(body.canaries, services, deployer);
  return translateFaults(async () => {
    const found = await findCode(environment, codeId, services);
    await services.code.check(environment, found);
    const { by, author } = deployer;
    const request = { environment, codeId: found, by, ...(author && { author }), canaries, plan };
    const begun = await beginStage(request, services);
    if (begun !== null) audit(services, deployer, `staged deploy of ${environment} begun: ${found}`);
    const { stage, touched = 0, replaced = null } = begun ?? {};
    return sendJson(context, {
      environment,
      codeId: found,
      changed: begun !== null,
      canaries: stage?.canaries ?? [],
      touched,
      replaced,
    } satisfies AnswerOf<'beginStage'>);
  });
});

/** `POST deploys/stage/promote`: puts staged code in force for all nodes. */
export const postStagePromotion = createEnding('promote', promoteStage);

/** `POST deploys/stage/abort`: takes staged code back. */
export const postStageAbortion = createEnding('abort', endStage);

function createEnding(
  action: 'promote' | 'abort',
  end: (name: string, services: CodeRouteServices, by: string) => Promise<FinishedStage>,
): Endpoint<CodeRouteServices> {
  return createRoute('POST', `${PREFIX}/${action}`, async (context, services) => {
    const { environment, deployer } = await readDeploy(context, services, ['environment']);
    return translateFaults(async () => {
      const { stage, nodeCount } = await end(environment, services, deployer.by);
      const done = action === 'promote' ? 'promoted' : 'aborted';
      audit(services, deployer, `staged deploy of ${environment} ${done}: ${stage.codeId}`);
      const ended = { environment, codeId: stage.codeId, nodes: nodeCount };
      return sendJson(context, ended satisfies AnswerOf<'promoteStage'> & AnswerOf<'abortStage'>);
    });
  });
}

/** Reads the body of a request that may deploy an environment. */
async function readDeploy(context: HttpContext, services: CodeRouteServices, keys: readonly string[]) {
  const deployer = await demandDeployer(context, services);
  const body: Body = await readJsonObject(context, MALFORMED);
  const unknown = Object.keys(body).filter((key) => !keys.includes(key));
  if (unknown.length > 0) throw createMalformedStageError(`unknown keys: ${unknown.join(', ')}`);
  const { environment } = body;
  if (typeof environment !== 'string' || !/^\w{1,255}$/.test(environment)) {
    throw createMalformedStageError("'environment' must be the name of an environment");
  }
  await deployer.demand(environment);
  return { environment, body, deployer };
}

function readCodeId({ codeId = null }: Body): string | null {
  if (codeId === null || (typeof codeId === 'string' && /^[0-9a-f]{64}$/.test(codeId))) return codeId;
  throw createMalformedStageError("'codeId' must be a code id");
}

function readPlan({ minutes, whenGood, whenWorse, whenLate, countsChanges }: Body): StagePlan {
  const wrong = Object.entries({ whenGood, whenWorse, whenLate }).find(
    ([, value]) => value !== undefined && typeof value !== 'string',
  );
  if (wrong !== undefined) throw createMalformedStageError(`'${wrong[0]}' must be a text`);
  if (minutes !== undefined && typeof minutes !== 'number')
    throw createMalformedStageError("'minutes' must be a number");
  if (countsChanges !== undefined && typeof countsChanges !== 'boolean') {
    throw createMalformedStageError("'countsChanges' must be true or false");
  }
  const ends = { whenGood, whenWorse, whenLate } as Pick<StageOptions, 'whenGood' | 'whenWorse' | 'whenLate'>;
  return orMalformed(() => createStagePlan({ minutes, countsChanges, ...ends }));
}

async function readChoice(given: unknown, { search }: CodeRouteServices, deployer: Deployer): Promise<CanaryChoice> {
  const shape = "'canaries' must have one of 'nodes', 'count', 'percent' and 'query'";
  if (typeof given !== 'object' || given === null) throw createMalformedStageError(shape);
  const [entry, ...others] = Object.entries(given);
  if (entry === undefined || others.length > 0) throw createMalformedStageError(shape);
  const [key, value]: readonly [string, unknown] = entry;
  if (key === 'query' && typeof value === 'string') {
    await deployer.demandQueries();
    const nodes = [...(await search.find(value))];
    return orMalformed(() => checkChoice({ nodes }));
  }
  if (key === 'nodes' && Array.isArray(value) && value.every((name) => typeof name === 'string')) {
    return orMalformed(() => checkChoice({ nodes: value }));
  }
  if (typeof value === 'number' && key === 'count') return orMalformed(() => checkChoice({ count: value }));
  if (typeof value === 'number' && key === 'percent') return orMalformed(() => checkChoice({ percent: value }));
  throw createMalformedStageError(shape);
}

function orMalformed<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof InvalidStage ? createMalformedStageError(error.message) : error;
  }
}

function createMalformedStageError(message: string) {
  return jsonRefusal(400, MALFORMED, message);
}

function audit({ log, clock }: CodeRouteServices, { by }: Deployer, subject: string): void {
  const time = new Date(clock.now()).toISOString();
  log.audit?.({ kind: 'access', time, event: 'change', login: by, outcome: 'granted', subject });
}

/** Answers 404 for what is not there, 409 for code that the gate refuses. */
async function translateFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidStage) throw createMalformedStageError(error.message);
    if (error instanceof NoSuchEnvironment || error instanceof NoSuchStage) {
      throw jsonRefusal(404, 'understudy/no-stage', error.message);
    }
    if (error instanceof DeployRefused) throw jsonRefusal(409, 'understudy/deploy-refused', error.message);
    throw error;
  }
}
