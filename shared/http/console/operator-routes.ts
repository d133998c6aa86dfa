import type { Permission } from '../../access/accounts/access-control.ts';
import type { Endpoint, HttpContext } from '../endpoint.ts';
import { certificateSignEndpoints, putCertificateClean } from '../routes/ca/certificate-sign.ts';
import { certificateStatusEndpoints, certificateStatusListEndpoints } from '../routes/ca/certificate-statuses.ts';
import { deleteCertificateRequest } from '../routes/ca/certificates.ts';
import { getCodeDeployStatus, getCodeDeploysStatus, postCodeDeploys } from '../routes/code/code-deploys.ts';
import { getStage, postStage, postStageAbortion, postStagePromotion } from '../routes/code/code-stages.ts';
import { getCode } from '../routes/code/code-window.ts';
import { postDeployPreview } from '../routes/code/deploy-preview.ts';
import { getActivity } from '../routes/understudy/activity.ts';
import { getBackups, getQueue } from '../routes/understudy/administration.ts';
import { getCertificates } from '../routes/understudy/certificates.ts';
import { getChangeNodes, getChanges } from '../routes/understudy/changes.ts';
import { deleteCodeSource, getCodeSources, postSourceSync, putCodeSource } from '../routes/understudy/code-sources.ts';
import { getComparisons, getNodeComparison } from '../routes/understudy/comparisons.ts';
import { getDeadLetters, postRedrive } from '../routes/understudy/dead-letters.ts';
import {
  getDeployedEnvironments,
  getDeploys,
  getEnvironmentDiff,
  postRollback,
} from '../routes/understudy/environments.ts';
import { getEvents } from '../routes/understudy/events.ts';
import { getFactPaths, getFactValues } from '../routes/understudy/facts.ts';
import { getFailure, getFailureFeed, getFailures } from '../routes/understudy/failures.ts';
import { getNodes, getOverview, getOverviewHours } from '../routes/understudy/fleet.ts';
import { getKeptValues, postValueRotation } from '../routes/understudy/kept-values.ts';
import { getKeyReaders } from '../routes/understudy/key-readers.ts';
import {
  deleteClassification,
  getClassification,
  putClassification,
} from '../routes/understudy/node-classification.ts';
import {
  getNodeCatalog,
  getNodeFacts,
  getNodeHistory,
  getNodeInputs,
  getPreviousCatalog,
} from '../routes/understudy/node-inputs.ts';
import { deleteNode, getNode } from '../routes/understudy/node-record.ts';
import { getFactChanges, getNodeRuns } from '../routes/understudy/node-runs.ts';
import { policyEndpoints } from '../routes/understudy/policies.ts';
import { searchReports } from '../routes/understudy/report-search.ts';
import { getReport, getReports } from '../routes/understudy/reports.ts';
import {
  deleteSavedQuery,
  getQuerySchema,
  getSavedQueries,
  putSavedQuery,
} from '../routes/understudy/saved-queries.ts';
import { getSearch } from '../routes/understudy/search.ts';

/** An endpoint for users, and what a user needs for it; null: the endpoint itself asks. */
export interface OperatorRoute {
  readonly endpoint: Endpoint;
  readonly permission: Permission | ((context: HttpContext) => Permission) | null;
}

function all(objectType: string, action: string): Permission {
  return { objectType, action, instance: '*' };
}

/** Permission of all who open the console: no facts, classes or contents of catalogs. */
const VIEW = all('console_page', 'view');
const READ_NODES = all('nodes', 'view_data');
const EDIT_NODES = all('nodes', 'edit_data');
/** A source may put any environment in force. */
const DEPLOY_ALL = all('environment', 'deploy_code');
const CERTIFICATES = all('cert_requests', 'accept_reject');

function routes(permission: OperatorRoute['permission'], endpoints: readonly Endpoint[]): readonly OperatorRoute[] {
  return endpoints.map((endpoint) => ({ endpoint, permission }));
}

function deployOf({ req }: HttpContext): Permission {
  return { objectType: 'environment', action: 'deploy_code', instance: req.param('environment') ?? '*' };
}

function viewOf({ req }: HttpContext): Permission {
  return { objectType: 'environment', action: 'view_code', instance: req.param('environment') ?? '*' };
}

/** Dead letters of runs have nodes run; the others have catalogs compiled or sent. */
function redriveOf({ req }: HttpContext): Permission {
  return req.param('queue') === 'notify' ? all('puppet_agent', 'run') : all('puppetserver', 'compile_catalogs');
}

/** One permission for reading, another one for changing. */
function byMethod(reading: Permission, changing: Permission) {
  return ({ req }: HttpContext) => (req.method === 'GET' || req.method === 'HEAD' ? reading : changing);
}

/** Endpoints for users, with the permission that each needs. */
export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  ...routes(VIEW, [getOverview, getOverviewHours, getNodes, getEvents, getNode, getReports]),
  ...routes(VIEW, [getNodeHistory, getNodeRuns, getQueue, getSearch, getActivity]),
  ...routes(VIEW, [getDeployedEnvironments, getDeploys, getEnvironmentDiff, getChanges, getChangeNodes]),
  ...routes(VIEW, [getStage]),
  ...routes(redriveOf, [postRedrive]),
  ...routes(viewOf, [getCode]),
  ...routes(deployOf, [postRollback, postValueRotation]),
  ...routes(DEPLOY_ALL, [getCodeSources, putCodeSource, deleteCodeSource, postSourceSync]),
  ...routes(all('configuration', 'view'), [getBackups]),
  ...routes(READ_NODES, [getNodeInputs, getNodeFacts, getNodeCatalog, getPreviousCatalog, getKeptValues]),
  ...routes(READ_NODES, [getComparisons, getNodeComparison, getDeadLetters]),
  ...routes(READ_NODES, [getClassification, getReport, searchReports, getFactChanges, getFactPaths, getFactValues]),
  ...routes(READ_NODES, [getFailures, getFailure, getFailureFeed]),
  ...routes(READ_NODES, [getKeyReaders]),
  // Sharing a query with all asks for more.
  ...routes(READ_NODES, [getSavedQueries, getQuerySchema, putSavedQuery, deleteSavedQuery]),
  ...routes(EDIT_NODES, [deleteNode]),
  ...routes(all('node_groups', 'edit_classification'), [putClassification, deleteClassification]),
  ...routes(byMethod(all('configuration', 'view'), all('configuration', 'edit')), policyEndpoints),
  ...routes(CERTIFICATES, [
    getCertificates,
    ...certificateStatusEndpoints,
    ...certificateStatusListEndpoints,
    ...certificateSignEndpoints,
    deleteCertificateRequest,
    putCertificateClean,
  ]),
  ...routes(null, [postCodeDeploys, postDeployPreview, getCodeDeploysStatus, getCodeDeployStatus]),
  ...routes(null, [postStage, postStagePromotion, postStageAbortion]),
];
