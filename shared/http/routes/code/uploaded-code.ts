import type { AnswerOf } from '../../../api/described-answers.ts';
import { InvalidArchive } from '../../../fleet/code/uploaded-code.ts';
import { BODIES } from '../../body/body-kinds.ts';
import { openBody } from '../../body/read-body.ts';
import { demandDeployer } from '../../deploy-token.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { CodeRouteServices } from '../../services.ts';

/**
 * `PUT /understudy/v1/code/<environment>`: uploads an environment as a gzipped tar archive whose
 * root is the environment's folder. A deploy puts it in force (`POST /code-manager/v1/deploys`,
 * `POST /file-sync/v1/commit`). An archive that is not an environment is refused unless
 * `?allow-empty=true`.
 */
export const putUploadedCode = createRoute<CodeRouteServices>(
  'PUT',
  '/understudy/v1/code/:environment',
  async (context, services) => {
    const { by, demand } = await demandDeployer(context, services);
    const environment = context.req.param('environment') ?? '';
    if (!/^\w+$/.test(environment)) {
      throw jsonRefusal(400, 'understudy/invalid-environment', `'${environment}' is no name of an environment`);
    }
    await demand(environment);
    if (!services.code.source.takesUploads) {
      const message = 'This server deploys its own control repo and takes no uploads';
      throw jsonRefusal(409, 'understudy/no-uploads', message);
    }
    const allowEmpty = context.req.query('allow-empty') === 'true';
    const body = openBody(context, BODIES.code);
    if (!body) throw jsonRefusal(400, 'understudy/invalid-archive', 'The request has no body');
    try {
      const { codeId, files } = await services.code.upload(environment, body, by, { allowEmpty });
      return sendJson(context, { environment, code_id: codeId, files } satisfies AnswerOf<'uploadCode'>);
    } catch (error) {
      if (error instanceof InvalidArchive) throw jsonRefusal(400, 'understudy/invalid-archive', error.message);
      throw error;
    }
  },
);
