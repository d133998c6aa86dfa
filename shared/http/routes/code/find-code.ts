import { findUploadedCode } from '../../../fleet/code/uploaded-code.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import type { CodeRouteServices } from '../../services.ts';

/**
 * Finds stored code of an environment: this one of its history, or that was uploaded (null: the
 * newest of its source, which is stored first). Refuses (404) what is not there.
 */
export async function findCode(
  environment: string,
  codeId: string | null,
  services: CodeRouteServices,
): Promise<string> {
  return codeId === null ? prepareNewest(environment, services) : demandKnown(environment, codeId, services);
}

/** The code in force of an environment, without its stage. Refuses (404) where there is none. */
export async function findCodeInForce(
  environment: string,
  { environments }: Pick<CodeRouteServices, 'environments'>,
): Promise<string> {
  const record = await environments.get(environment);
  if (record !== null) return record.codeId;
  throw jsonRefusal(404, 'understudy/no-code', `Environment '${environment}' is not deployed`);
}

async function prepareNewest(environment: string, { code }: CodeRouteServices): Promise<string> {
  const names = await code.source.listEnvironments();
  if (names.includes(environment)) return (await code.source.prepare(environment)).codeId;
  throw jsonRefusal(404, 'understudy/no-code', `There is no newer code of environment '${environment}'`);
}

/** Refuses code that is neither in force, in the history, nor uploaded. */
async function demandKnown(
  environment: string,
  given: string,
  { environments, documents }: CodeRouteServices,
): Promise<string> {
  const record = await environments.get(environment);
  const uploaded = await findUploadedCode({ documents }, environment);
  const earlier = (record?.history ?? []).map(({ codeId }) => codeId);
  if ([record?.codeId, record?.stage?.codeId, ...earlier, uploaded?.codeId].includes(given)) return given;
  throw jsonRefusal(404, 'understudy/no-code', `Environment '${environment}' had no code '${given}'`);
}
