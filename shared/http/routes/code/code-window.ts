import type { AnswerOf } from '../../../api/described-answers.ts';
import type { HttpContext } from '../../endpoint.ts';
import { badRequestError, notFoundError } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { countParameter } from '../../exchange/list-parameters.ts';
import { readCodeWindow, type ShownCode, UnshownCode } from '../../files/code-window.ts';
import { createRoute } from '../../route.ts';
import type { HttpServices } from '../../services.ts';

const USUAL_AROUND = 30;
const MOST_AROUND = 250;
const LAST_LINE = 10_000_000;
const LONGEST_PATH = 1000;

/**
 * `GET environments/<name>/code?path=&code=&line=&around=`: lines of a file of deployed code, at
 * most 501 around one.
 */
export const getCode = createRoute<Pick<HttpServices, 'files' | 'environments'>>(
  'GET',
  '/understudy/v1/environments/:environment/code',
  async (context, { files, environments }) => {
    const name = context.req.param('environment') ?? '';
    if (!/^\w{1,255}$/.test(name)) throw badRequestError(`'${name}' is not an environment`);
    const record = await environments.get(name);
    if (record === null) throw notFoundError(`There is no environment '${name}'`);
    const question = {
      ...{ path: pathIn(context), codeId: codeIn(context) },
      line: countParameter(context, 'line', 1, LAST_LINE),
      around: countParameter(context, 'around', USUAL_AROUND, MOST_AROUND),
    };
    const shown = await answerUnshown(() => readCodeWindow(files, { ...question, record }));
    return sendJson(context, shown satisfies AnswerOf<'getCode'>);
  },
);

function pathIn({ req }: HttpContext): string {
  const path = req.query('path') ?? '';
  if (path !== '' && path.length <= LONGEST_PATH && !path.split('/').includes('..') && !path.includes('\0'))
    return path;
  throw badRequestError("'path' must be the path of a file below the folder of the environment");
}

function codeIn({ req }: HttpContext): string | null {
  const code = req.query('code') ?? '';
  if (code === '') return null;
  if (/^[0-9a-f]{64}$/.test(code)) return code;
  throw badRequestError('A code id has 64 hexadecimal digits');
}

async function answerUnshown(work: () => Promise<ShownCode>): Promise<ShownCode> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnshownCode)) throw error;
    throw error.isMissing ? notFoundError(error.message) : badRequestError(error.message);
  }
}
