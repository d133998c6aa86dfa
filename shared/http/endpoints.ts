import type { Audience } from './audience.ts';
import type { Endpoint } from './endpoint.ts';
import { certificateSignEndpoints, putCertificateClean } from './routes/ca/certificate-sign.ts';
import { certificateStatusEndpoints, certificateStatusListEndpoints } from './routes/ca/certificate-statuses.ts';
import {
  deleteCertificateRequest,
  getCertificate,
  getCertificateExpirations,
  getCertificateRequest,
  getRevocationList,
  postCertificateRenewal,
  putCertificateRequest,
  putRevocationLists,
} from './routes/ca/certificates.ts';
import {
  getCodeDeployStatus,
  getCodeDeploysStatus,
  postCodeDeploys,
  postCodeWebhook,
} from './routes/code/code-deploys.ts';
import { getStage, postStage, postStageAbortion, postStagePromotion } from './routes/code/code-stages.ts';
import { getCode } from './routes/code/code-window.ts';
import { postDeployPreview } from './routes/code/deploy-preview.ts';
import { fileSyncEndpoints, getLatestCommits } from './routes/code/file-sync.ts';
import { postSourceWebhook } from './routes/code/source-webhook.ts';
import { putUploadedCode } from './routes/code/uploaded-code.ts';
import { catalogEndpoint } from './routes/puppet/catalog.ts';
import { postCatalogV4 } from './routes/puppet/catalog-v4.ts';
import {
  getEnvironmentClasses,
  getEnvironmentModules,
  getEnvironments,
  getEnvironmentTransports,
} from './routes/puppet/environments.ts';
import { getBucketFile, putBucketFile } from './routes/puppet/file-bucket-file.ts';
import { getFileContent } from './routes/puppet/file-content.ts';
import { getFileMetadata } from './routes/puppet/file-metadata.ts';
import { getFileMetadatas } from './routes/puppet/file-metadatas.ts';
import { getNodeObject, putFacts } from './routes/puppet/node.ts';
import { putReport } from './routes/puppet/report.ts';
import { getStaticFileContent } from './routes/puppet/static-file-content.ts';
import { getPlan, getPlans, getTask, getTasks } from './routes/puppet/tasks.ts';
import { getMetrics, metricsV2Endpoints } from './routes/status/metrics.ts';
import { getServiceStatus, getServiceStatuses, statusSimpleEndpoints } from './routes/status/status-services.ts';
import { getActivity } from './routes/understudy/activity.ts';
import { administrationEndpoints, getQueue } from './routes/understudy/administration.ts';
import { getCertificates } from './routes/understudy/certificates.ts';
import { getChangeNodes, getChanges } from './routes/understudy/changes.ts';
import { getComparisons, getNodeComparison } from './routes/understudy/comparisons.ts';
import { getDeadLetters, postRedrive } from './routes/understudy/dead-letters.ts';
import {
  getDeployedEnvironments,
  getDeploys,
  getEnvironmentDiff,
  postRollback,
} from './routes/understudy/environments.ts';
import { getEvents } from './routes/understudy/events.ts';
import { getFactPaths, getFactValues } from './routes/understudy/facts.ts';
import { getFailure, getFailureFeed, getFailures } from './routes/understudy/failures.ts';
import { getNodes, getOverview, getOverviewHours } from './routes/understudy/fleet.ts';
import { deleteClassification, getClassification, putClassification } from './routes/understudy/node-classification.ts';
import {
  getNodeCatalog,
  getNodeFacts,
  getNodeHistory,
  getNodeInputs,
  getPreviousCatalog,
} from './routes/understudy/node-inputs.ts';
import { deleteNode, getNode } from './routes/understudy/node-record.ts';
import { getFactChanges, getNodeRuns } from './routes/understudy/node-runs.ts';
import { getJobFile, packageEndpoints } from './routes/understudy/packages.ts';
import { policyEndpoints } from './routes/understudy/policies.ts';
import { searchReports } from './routes/understudy/report-search.ts';
import { getReport, getReports } from './routes/understudy/reports.ts';

/** Endpoints of both kinds of front door. */
const COMMON: readonly Endpoint[] = [
  getRevocationList,
  getCertificate,
  getCertificateRequest,
  putCertificateRequest,
  postCertificateRenewal,
  getCertificateExpirations,
  getEnvironments,
  getMetrics,
  ...metricsV2Endpoints,
  getJobFile,
  ...packageEndpoints,
  ...statusSimpleEndpoints,
  getServiceStatuses,
  getServiceStatus,
];

/** Endpoints for nodes, and for services that act for them. */
const OF_NODES: readonly Endpoint[] = [
  getNodeObject,
  getFileMetadatas,
  getFileMetadata,
  getFileContent,
  getStaticFileContent,
  catalogEndpoint,
  postCatalogV4,
  putReport,
  putFacts,
  getBucketFile,
  putBucketFile,
  getEnvironmentClasses,
  getEnvironmentModules,
  getEnvironmentTransports,
  getTasks,
  getTask,
  getPlans,
  getPlan,
];

/** Certificates, nodes, policies and code: for operators and pipelines. */
const OF_OPERATORS: readonly Endpoint[] = [
  deleteCertificateRequest,
  ...certificateStatusEndpoints,
  ...certificateStatusListEndpoints,
  putCertificateClean,
  putRevocationLists,
  ...certificateSignEndpoints,
  getOverview,
  getOverviewHours,
  getActivity,
  getNodes,
  getEvents,
  getQueue,
  getDeadLetters,
  postRedrive,
  getCertificates,
  getDeployedEnvironments,
  getChanges,
  getChangeNodes,
  getFailures,
  getFailureFeed,
  getFailure,
  getDeploys,
  getEnvironmentDiff,
  getCode,
  postRollback,
  getComparisons,
  getNodeComparison,
  getNodeInputs,
  getNodeFacts,
  getNodeCatalog,
  getPreviousCatalog,
  getNodeHistory,
  getNodeRuns,
  getFactChanges,
  getFactPaths,
  getFactValues,
  getNode,
  deleteNode,
  getClassification,
  putClassification,
  deleteClassification,
  ...policyEndpoints,
  getReports,
  searchReports,
  getReport,
  postCodeDeploys,
  postCodeWebhook,
  getCodeDeploysStatus,
  getCodeDeployStatus,
  ...fileSyncEndpoints,
  getLatestCommits,
  putUploadedCode,
  postDeployPreview,
  getStage,
  postStage,
  postStagePromotion,
  postStageAbortion,
  postSourceWebhook,
  ...administrationEndpoints,
];

/** The endpoints of a front door for this audience. */
export function endpointsFor(audience: Audience): readonly Endpoint[] {
  return [...COMMON, ...(audience === 'operators' ? [] : OF_NODES), ...(audience === 'nodes' ? [] : OF_OPERATORS)];
}

/** The endpoints that another front door of the same deployment serves. */
export function endpointsElsewhere(audience: Audience): readonly Endpoint[] {
  if (audience === 'all') return [];
  return audience === 'nodes' ? OF_OPERATORS : OF_NODES;
}
