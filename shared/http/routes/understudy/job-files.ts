import { JOB_FILES_PATH, jobFileKey } from '../../../orchestrator/jobs/built-in-tasks.ts';
import type { Endpoint } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendFile } from '../../files/send-file.ts';

/** `GET job-files/<job>/<sha256>`: a file that came with the request of a job, for its agents. */
export const getJobFile: Endpoint = {
  methods: ['GET'],
  path: `${JOB_FILES_PATH}/:job{\\d+}/:sha256{[0-9a-f]{64}}`,
  async handle(context, { blobs }) {
    const { job = '', sha256 = '' } = context.req.param();
    const key = jobFileKey(job, sha256);
    const { entries } = await blobs.list(key);
    const [found] = entries;
    if (found === undefined) throw resourceNotFoundError('job file', `${job}/${sha256}`);
    const open = async (range: { start: number; end: number }) => {
      const stored = await blobs.stream(key, range);
      if (stored === null) throw resourceNotFoundError('job file', `${job}/${sha256}`);
      return stored.body;
    };
    return sendFile(context, { sha256, size: found.size, open });
  },
};
