import { callApi, LONG_MS } from '../api-client.ts';
import { ApiFault } from '../api-fault.ts';
import type { DeployOutcome } from '../code-shapes.ts';
import { type CodeChange, kindOfDeploy } from './deploy-plan.ts';

/** Carries a plan out, and waits for its end. Throws ApiFault, also for a deploy that failed. */
export async function sendDeploy({ environment, codeId, first }: CodeChange): Promise<void> {
  const { name } = environment;
  const kind = kindOfDeploy(environment, codeId);
  if (first !== 'all') {
    const share = Number(first.replace('%', ''));
    const canaries = first.endsWith('%') ? { percent: share } : { count: share };
    const body = { environment: name, ...(codeId === null ? {} : { codeId }), canaries };
    await callApi('/understudy/v1/deploys/stage', { method: 'POST', body, lateMs: LONG_MS });
  } else if (kind === 'promote') {
    const body = { environment: name };
    await callApi('/understudy/v1/deploys/stage/promote', { method: 'POST', body, lateMs: LONG_MS });
  } else if (kind === 'roll back') {
    const address = `/understudy/v1/environments/${encodeURIComponent(name)}/rollback`;
    await callApi(address, { method: 'POST', body: { codeId }, lateMs: LONG_MS });
  } else {
    const body = { environments: [name], wait: true };
    const { data } = await callApi('/code-manager/v1/deploys', { method: 'POST', body, lateMs: LONG_MS });
    const failed = (data as readonly DeployOutcome[]).find(({ status }) => status === 'failed');
    if (failed !== undefined) throw new ApiFault('refused', failed.error?.msg ?? 'The deploy failed.');
  }
}
