import type { AnswerOf } from '../../../api/described-answers.ts';
import { LANGUAGE_LEVELS, type LanguageLevel, parseLanguageLevel } from '../../../config/language-level.ts';
import { previewCatalogs } from '../../../fleet/previews/preview-catalogs.ts';
import { createWorkerTrials } from '../../../fleet/previews/trial-compiler.ts';
import { demandDeployer } from '../../deploy-token.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readJsonObject } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CodeRouteServices } from '../../services.ts';
import { findCode, findCodeInForce } from './find-code.ts';

const MALFORMED = 'understudy/invalid-preview';
const KEYS = ['environment', 'codeEnvironment', 'codeId', 'nodes', 'language'];
const NODES = { usual: 20, most: 200 };
/** No further node is compiled after this time; a client waits for the answer. */
const LONGEST_MS = 120_000;

interface PreviewRequest {
  readonly environment: string;
  /** The environment that the code is of. */
  readonly codeEnvironment: string;
  /**
   * Stored code, such as an earlier state; null: the newest code of the environment's source, or
   * the code in force of another environment.
   */
  readonly codeId: string | null;
  readonly nodes: number;
  readonly language: LanguageLevel | undefined;
}

/**
 * `POST /understudy/v1/deploys/preview`: what code would change if it were deployed. Workers
 * compile nodes that use what changed. Nothing is put in force. The code may be that of another
 * environment, such as of a branch: it needs the right to deploy both.
 */
export const postDeployPreview = createRoute<CodeRouteServices>(
  'POST',
  '/understudy/v1/deploys/preview',
  async (context, services) => {
    const deployer = await demandDeployer(context, services);
    const { environment, codeEnvironment, codeId, ...more } = readRequest(await readJsonObject(context, MALFORMED));
    await deployer.demand(environment);
    const isOther = codeEnvironment !== environment;
    if (isOther) await deployer.demand(codeEnvironment);
    const id =
      isOther && codeId === null
        ? await findCodeInForce(codeEnvironment, services)
        : await findCode(codeEnvironment, codeId, services);
    const trials = createWorkerTrials(services, services.settings.compileHoldMs, context.req.raw.signal);
    const bounds = { ...more, limitMs: LONGEST_MS, codeEnvironment };
    const preview = await previewCatalogs(environment, id, bounds, trials, services);
    return sendJson(context, preview satisfies AnswerOf<'previewDeploy'>);
  },
);

function readRequest(body: Readonly<Record<string, unknown>>): PreviewRequest {
  const unknown = Object.keys(body).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw createMalformedError(`unknown keys: ${unknown.join(', ')}`);
  const { codeId = null, nodes = NODES.usual, language: level } = body;
  const environment = readEnvironment('environment', body.environment);
  const codeEnvironment = readEnvironment('codeEnvironment', body.codeEnvironment ?? environment);
  if (codeId !== null && !(typeof codeId === 'string' && /^[0-9a-f]{64}$/.test(codeId))) {
    throw createMalformedError("'codeId' must be a code id");
  }
  if (!(typeof nodes === 'number' && Number.isInteger(nodes) && nodes >= 0 && nodes <= NODES.most)) {
    throw createMalformedError(`'nodes' must be a whole number from 0 to ${NODES.most}`);
  }
  const language = level === undefined ? undefined : parseLanguageLevel(level);
  if (language === null) throw createMalformedError(`'language' must be one of ${LANGUAGE_LEVELS.join(', ')}`);
  return { environment, codeEnvironment, codeId, nodes, language };
}

function readEnvironment(name: string, given: unknown): string {
  if (typeof given === 'string' && /^\w+$/.test(given)) return given;
  throw createMalformedError(`'${name}' must be the name of an environment`);
}

function createMalformedError(message: string) {
  return jsonRefusal(400, MALFORMED, message);
}
