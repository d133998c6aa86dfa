import { JOB_FILES_PATH, jobFileKey } from '../../../orchestrator/jobs/built-in-tasks.ts';
import { certnameOf } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendFile } from '../../files/send-file.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

/**
 * `GET job-files/<job>/<sha256>`: a file that came with the request of a job. Only nodes that the
 * job has asked get it: it may be a secret.
 */
export const getJobFile = createRoute<FleetServices>(
  'GET',
  `${JOB_FILES_PATH}/:job{\\d{1,15}}/:sha256{[0-9a-f]{64}}`,
  async (context, { blobs, jobs }) => {
    const { job = '', sha256 = '' } = context.req.param();
    const key = jobFileKey(job, sha256);
    const isAsked = (await jobs.getNode(Number(job), certnameOf(context))) !== null;
    const found = isAsked ? (await blobs.list(key)).entries[0] : undefined;
    if (found === undefined) throw resourceNotFoundError('job file', `${job}/${sha256}`);
    const open = async (range: { start: number; end: number }) => {
      const stored = await blobs.stream(key, range);
      if (stored === null) throw resourceNotFoundError('job file', `${job}/${sha256}`);
      return stored.body;
    };
    return sendFile(context, { sha256, size: found.size, open });
  },
);
