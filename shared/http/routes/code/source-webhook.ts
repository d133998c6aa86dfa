import { readFile } from 'node:fs/promises';
import { isSignedCall, readPushedBranches } from '../../../fleet/sources/webhook.ts';
import { annotateRequest } from '../../access-log.ts';
import type { Endpoint } from '../../endpoint.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { readBody, withPlaceForBody } from '../../exchange/request-body.ts';
import { BODY_LIMITS } from '../../services.ts';

/**
 * `POST /understudy/v1/code-sources/<name>/webhook`: a git server tells of a push. The call is
 * signed with the source's secret: see `isSignedCall`. The source is synchronised soon after.
 */
export const postSourceWebhook: Endpoint = {
  methods: ['POST'],
  path: '/understudy/v1/code-sources/:name/webhook',
  async handle(context, services) {
    const name = context.req.param('name') ?? '';
    const source = await services.git?.sources.get(name);
    const secretFile = source?.secretFile ?? null;
    return withPlaceForBody(context, services.largeBodies, async () => {
      const body = await readBody(context, BODY_LIMITS.webhook);
      const secret = secretFile === null ? '' : (await readFile(secretFile, 'utf8')).trim();
      // Whether a source exists shows only to who knows its secret.
      if (!services.git || !source || !isSignedCall((header) => context.req.header(header), body, secret)) {
        annotateRequest(context, { reason: 'forbidden' });
        throw jsonRefusal(401, 'understudy/unsigned', 'The call is not signed with the secret of a source');
      }
      const branches = readPushedBranches(parse(body));
      services.git.request(source, branches);
      return sendJson(context, { source: name, branches: branches ?? 'all' });
    });
  },
};

/** Null for what is no JSON: all branches may have changed. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
