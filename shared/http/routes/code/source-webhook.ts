import { readFile } from 'node:fs/promises';
import type { AnswerOf } from '../../../api/described-answers.ts';
import { isSignedCall, readPushedBranches } from '../../../fleet/sources/webhook.ts';
import { annotateRequest } from '../../access-log.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { readBody } from '../../body/read-body.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { CodeRouteServices } from '../../services.ts';

/**
 * `POST /understudy/v1/code-sources/<name>/webhook`: a git server announces a push. The call is
 * signed with the source's secret: see `isSignedCall`. The source is synchronised soon after.
 */
export const postSourceWebhook = createRoute<CodeRouteServices>(
  'POST',
  '/understudy/v1/code-sources/:name/webhook',
  async (context, services) => {
    const name = context.req.param('name') ?? '';
    const source = await services.git?.sources.get(name);
    const secretFile = source?.secretFile ?? null;
    const secret = secretFile === null ? '' : (await readFile(secretFile, 'utf8')).trim();
    const { depth, values } = BODIES.webhook;
    const wanted = { depth, values, secret, wholes: ['push', 'changes', 'resource'] };
    const { hmac, members } = await readBody(context, BODIES.webhook, 'readSignedMembers', wanted);
    // An unknown source gets the answer of a wrong secret: outsiders do not learn which exist.
    if (!services.git || !source || !isSignedCall((header) => context.req.header(header), hmac, secret)) {
      annotateRequest(context, { reason: 'forbidden' });
      throw jsonRefusal(401, 'understudy/unsigned', 'The call is not signed with the secret of a source');
    }
    // Null: the body is no JSON or names too many branches, so any of them may have changed.
    const branches = members && readPushedBranches(Object.fromEntries(members));
    services.git.request(source, branches);
    return sendJson(context, { source: name, branches: branches ?? 'all' } satisfies AnswerOf<'callWebhook'>);
  },
);
