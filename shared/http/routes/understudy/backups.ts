import type { AnswerOf } from '../../../api/described-answers.ts';
import { readLastBackup } from '../../../fleet/code/last-backup.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

/** `GET backups`: when the data directory was last written into a file, and into which. */
export const getBackups = createRoute<FleetServices>('GET', '/understudy/v1/backups', async (context, { documents }) =>
  sendJson(context, { last: await readLastBackup(documents) } satisfies AnswerOf<'getBackups'>),
);
