import { auditChange } from '../../audit-change.ts';
import type { Endpoint } from '../../endpoint.ts';
import { resourceNotFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter } from '../../exchange/list-parameters.ts';

const PREFIX = '/understudy/v1/queue';
const USUAL_LETTERS = 50;
const MOST_LETTERS = 200;

/** `GET queue`: how many compile jobs wait in each queue. */
export const getQueue: Endpoint = {
  methods: ['GET'],
  path: PREFIX,
  async handle(context, { queue }) {
    return sendJson(context, { queues: await queue.getDepth() });
  },
};

/** `GET queue/dead-letters?limit=`: jobs that were received too often without success. */
export const getDeadLetters: Endpoint = {
  methods: ['GET'],
  path: `${PREFIX}/dead-letters`,
  async handle(context, { queue }) {
    const letters = await queue.listDeadLetters(countParameter(context, 'limit', USUAL_LETTERS, MOST_LETTERS));
    const deadLetters = letters.map(({ id, job: { certname, generation, reason, at } }) => {
      return { id, certname, generation, reason, at };
    });
    return sendJson(context, { deadLetters });
  },
};

/** `POST queue/dead-letters/<id>/redrive`: sends the job again. */
export const postRedrive: Endpoint = {
  methods: ['POST'],
  path: `${PREFIX}/dead-letters/:id/redrive`,
  async handle(context, services) {
    const id = context.req.param('id') ?? '';
    const job = await services.queue.redrive(id);
    if (job === null) throw resourceNotFoundError('dead letter', id);
    auditChange(context, services, `dead letter of ${job.certname} redriven`);
    return sendJson(context, { redriven: { id, certname: job.certname } });
  },
};
