import type { AnswerOf } from '../../../api/described-answers.ts';
import { readFactChanges } from '../../../fleet/facts/fact-history.ts';
import { readNodeRuns } from '../../../fleet/reports/node-runs.ts';
import type { CompileNote, NodeRecord } from '../../../store/ports/node-record.ts';
import { certnameIn, type HttpContext } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const PREFIX = '/understudy/v1/nodes/:certname';

/**
 * `GET nodes/<certname>/runs`: the last runs, at most 96, the changes of the catalog among the last
 * compiles, and when the next run is expected.
 */
export const getNodeRuns = createRoute<FleetServices>('GET', `${PREFIX}/runs`, async (context, services) => {
  const { certname, inputs } = await demandNode(context, services);
  const { rows, log } = services;
  const ask = rows === null ? null : (query: string) => rows.ask(query);
  const runs = await readNodeRuns(certname, services, ask, (error) =>
    log.logError(`The runs of ${certname} could not be read from the inventory`, error),
  );
  const catalogs = findCatalogChanges(inputs?.compiles ?? []);
  return sendJson(context, { ...runs, catalogs } satisfies AnswerOf<'getNodeRuns'>);
});

/** `GET nodes/<certname>/facts/changes`: the facts that changed, newest first, at most 100. */
export const getFactChanges = createRoute<FleetServices>(
  'GET',
  `${PREFIX}/facts/changes`,
  async (context, services) => {
    const { certname } = await demandNode(context, services);
    const changes = await readFactChanges(services.documents, certname);
    return sendJson(context, { changes } satisfies AnswerOf<'getFactChanges'>);
  },
);

async function demandNode(context: HttpContext, { nodes }: FleetServices): Promise<NodeRecord> {
  const certname = certnameIn(context);
  const record = await nodes.get(certname);
  if (record === null) throw resourceNotFoundError('node', certname);
  return record;
}

/** The compiles that gave another catalog than the one before, newest first. */
function findCatalogChanges(compiles: readonly CompileNote[]) {
  const made = compiles.filter(({ hash }) => hash !== null);
  return made.flatMap(({ at, hash, codeId }, index) => {
    const before = made[index + 1];
    return before !== undefined && before.hash !== hash ? [{ at, codeId }] : [];
  });
}
