import type { AnswerOf } from '../../../api/described-answers.ts';
import { readLastBackup } from '../../../fleet/code/last-backup.ts';
import type { Endpoint } from '../../endpoint.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import type { FleetServices } from '../../services.ts';

/** `GET backups`: when the data directory was last written into a file, and into which. */
export const getBackups: Endpoint<FleetServices> = {
  methods: ['GET'],
  path: '/understudy/v1/backups',
  async handle(context, { documents }) {
    return sendJson(context, { last: await readLastBackup(documents) } satisfies AnswerOf<'getBackups'>);
  },
};
