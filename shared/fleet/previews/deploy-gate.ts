import type { Stores } from '../../store/ports/stores.ts';
import type { DeployGate } from '../code/deploy.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import type { NodeBounds } from './choose-nodes.ts';
import { demandNoObjection } from './deploy-verdict.ts';
import { type CatalogPreview, type PreviewObserver, type PreviewPorts, previewCatalogs } from './preview-catalogs.ts';
import type { TrialCompiler } from './trial-compiler.ts';

/** One node of each role is enough to find a failure. */
const CHECKED: NodeBounds = { nodes: 500, nodesAGroup: 1 };
/** No further node is compiled after this time. A pipeline waits for it. */
const LONGEST_CHECK_MS = 4 * 60_000;

/**
 * Compiles one node of each role with stored code. Throws DeployRefused for an invalid manifest,
 * and for a node that fails and compiles with the code in force.
 */
export async function checkDeploy(
  environment: string,
  codeId: string,
  trials: TrialCompiler,
  ports: PreviewPorts,
  observe: PreviewObserver = () => {},
): Promise<CatalogPreview> {
  const bounds = { ...CHECKED, limitMs: LONGEST_CHECK_MS };
  const preview = await previewCatalogs(environment, codeId, bounds, trials, ports, observe);
  demandNoObjection(preview);
  return preview;
}

/** Whether the operator's policy has deploys of the environment checked. */
export async function isCheckedByPolicy(
  environment: string,
  { documents }: Pick<Stores, 'documents'>,
): Promise<boolean> {
  return (await new FreshnessPolicies(documents).resolveDeployCheck(environment)) === 'on';
}

/**
 * A gate that checks deploys where the operator's policy demands it. The first code of an
 * environment is not checked: no node uses it.
 */
export function createDeployGate(trials: TrialCompiler, ports: PreviewPorts & Pick<Stores, 'documents'>): DeployGate {
  return async (environment, codeId) => {
    const record = await ports.environments.get(environment);
    if (record === null || record.codeId === codeId) return;
    if (await isCheckedByPolicy(environment, ports)) await checkDeploy(environment, codeId, trials, ports);
  };
}
