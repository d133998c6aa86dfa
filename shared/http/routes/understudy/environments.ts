import type { AnswerOf } from '../../../api/described-answers.ts';
import { rollBack } from '../../../fleet/code/code-history.ts';
import { NoSuchEnvironment } from '../../../fleet/code/scan-environment.ts';
import { readFanOutProgress } from '../../../fleet/fan-out/fan-out-progress.ts';
import { FreshnessPolicies } from '../../../fleet/policies/freshness-policies.ts';
import { NoSuchCode } from '../../../fleet/snapshots/no-such-code.ts';
import { stateOfStage } from '../../../fleet/stages/environment-note.ts';
import type { CodeStage } from '../../../store/ports/environment-store.ts';
import { inParallel } from '../../../util/in-parallel.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { HttpContext } from '../../endpoint.ts';
import { badRequestError, notFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter, cursorParameter, printCursor } from '../../exchange/list-parameters.ts';
import { readJsonValue } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const PREFIX = '/understudy/v1/environments';
/** Environments whose fan-out progress is read in parallel. */
const READS_AT_ONCE = 8;
const USUAL_PAGE = 50;
const LARGEST_PAGE = 200;
const MOST_DEPLOYS = 500;
const MOST_FILES_SHOWN = 500;
const CODE_ID = /^[0-9a-f]{64}$/;

/**
 * `GET environments`: the code in force, the strictness that policies give, the staged deploy, what
 * was rolled back, and which nodes a deploy is given to first.
 */
export const getDeployedEnvironments = createRoute<FleetServices>(
  'GET',
  PREFIX,
  async (context, { environments, documents, settings: { language: usual } }) => {
    const records = await environments.list();
    const stageOf = await new FreshnessPolicies(documents).resolveStages();
    const shown = await inParallel(READS_AT_ONCE, records, async (record) => {
      const { name, codeId, deployedAt, by, settled, revision, strictness, stage } = record;
      const settings = strictness === undefined ? {} : { strictness };
      const staged = stage ? describeStaged(stage) : null;
      const { takenBack: held = null } = record;
      const rolledBack = held && { codeId: held.codeId, user: held.by, at: held.at };
      const { stageCanaries } = stageOf(name);
      const progress = await readFanOutProgress(record, { documents });
      const isSettled = settled >= revision;
      const language = strictness?.language ?? usual;
      const known = { name, codeId, deployedAt, user: by, language, isSettled, invalidating: progress, ...settings };
      return { ...known, stage: staged, rolledBack, stageCanaries };
    });
    return sendJson(context, { environments: shown } satisfies AnswerOf<'listEnvironments'>);
  },
);

function describeStaged(stage: CodeStage) {
  const { codeId, begunAt, by, canaries, held, isOfPolicy = false } = stage;
  const reason = held?.reason ?? null;
  return { codeId, begunAt, user: by, canaries: canaries.length, state: stateOfStage(stage), reason, isOfPolicy };
}

/** `GET deploys?environment=&limit=`: the deployed states of the environments, newest first. */
export const getDeploys = createRoute<FleetServices>('GET', '/understudy/v1/deploys', async (context, { fleet }) => {
  const limit = countParameter(context, 'limit', USUAL_PAGE, MOST_DEPLOYS);
  const name = context.req.query('environment');
  const all = await fleet.listDeploys(Number.POSITIVE_INFINITY);
  const wanted = all.filter(({ environment }) => name === undefined || environment === name);
  return sendJson(context, { deploys: wanted.slice(0, limit) } satisfies AnswerOf<'listDeploys'>);
});

/**
 * `GET environments/<name>/diff?from=&to=&limit=&cursor=`: the files that differ between two
 * deployed states, and the nodes that use them, with the reasons. `from` is the state before by
 * default, `to` the one in force.
 */
export const getEnvironmentDiff = createRoute<FleetServices>(
  'GET',
  `${PREFIX}/:environment/diff`,
  async (context, { fleet }) => {
    const name = environmentIn(context);
    const limit = countParameter(context, 'limit', USUAL_PAGE, LARGEST_PAGE);
    const after = cursorParameter(context, (value) => typeof value === 'string');
    const [from, to] = [codeIn(context.req.query('from')), codeIn(context.req.query('to'))];
    const compared = await answerMissingEnvironments(() => fleet.changes.compare(name, from, to, { after, limit }));
    const { codeId, changes, nodes, hasMore, total } = compared;
    const paths = new Set([...changes.added, ...changes.removed, ...changes.changed]);
    return sendJson(context, {
      environment: name,
      codeId,
      files: {
        added: changes.added.slice(0, MOST_FILES_SHOWN),
        removed: changes.removed.slice(0, MOST_FILES_SHOWN),
        changed: changes.changed.slice(0, MOST_FILES_SHOWN),
        count: paths.size,
      },
      nodes: await fleet.changes.explain(nodes, paths),
      next: hasMore ? printCursor(nodes.at(-1)) : null,
      total,
    } satisfies AnswerOf<'diffEnvironment'>);
  },
);

/** `POST environments/<name>/rollback` with `codeId`, or without: the state before. */
export const postRollback = createRoute<FleetServices>(
  'POST',
  `${PREFIX}/:environment/rollback`,
  async (context, services) => {
    const name = environmentIn(context);
    const given = await readCode(context);
    const by = context.env.user ?? context.env.peer?.certname ?? 'unknown';
    const { changed, from, to, nodeCount } = await answerMissingEnvironments(() => rollBack(services, name, given, by));
    const done = { environment: name, codeId: to.codeId, from: from.codeId, changed, nodes: nodeCount };
    return sendJson(context, done satisfies AnswerOf<'rollBackEnvironment'>);
  },
);

function environmentIn(context: HttpContext): string {
  const name = context.req.param('environment') ?? '';
  if (/^\w{1,255}$/.test(name)) return name;
  throw badRequestError(`'${name}' is not an environment`);
}

function codeIn(text: unknown): string | null {
  if (text === undefined || text === null || text === '') return null;
  if (typeof text === 'string' && CODE_ID.test(text)) return text;
  throw badRequestError('A code id has 64 hexadecimal digits');
}

/** The whole code id in the body; null without one. */
async function readCode(context: HttpContext): Promise<string | null> {
  const body = await readJsonValue(context, BODIES.classification, true);
  if (body === undefined) return null;
  if (typeof body !== 'object' || body === null) throw badRequestError('The request body must be a JSON object');
  return codeIn('codeId' in body ? body.codeId : null);
}

/** Answers 404 for an environment or a code that is not there. */
async function answerMissingEnvironments<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoSuchEnvironment || error instanceof NoSuchCode) throw notFoundError(error.message);
    throw error;
  }
}
