import { isEnvironmentName } from '../../../puppet/environment/directory-environment.ts';
import { SERVED_CODE_DIRECTORY } from '../../../puppet/environment/snapshot.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { plainRefusal, resourceNotFoundError } from '../../exchange/answers.ts';
import { sendFile } from '../../files/send-file.ts';
import type { AgentServices } from '../../services.ts';

const PREFIX = '/puppet/v3/static_file_content/';
/** Paths of module files that a static catalog may contain, in the environment's folder. */
const SERVED = /^[^/]+\/[^/]+\/(files|tasks|scripts|lib)\/.+/;

/**
 * `GET static_file_content/<path>?environment=&code_id=`: a module file as of that deploy, also
 * after later deploys. Puppet Server performs these checks in plain text (its Clojure part, not
 * Puppet's).
 */
// Differs from Puppet: it runs the operator's code-content-command; here every deploy is stored. An
// unknown one answers 404.
export const getStaticFileContent: Endpoint<AgentServices> = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  isOfCatalog: true,
  async handle(context, services) {
    const { environment, codeId, path } = readRequest(context);
    const served = await services.files.openSnapshot(codeId);
    const root = `${SERVED_CODE_DIRECTORY}/environments/${environment}`;
    const found = served?.environment.name === environment ? served.findServed(`${root}/${path}`, 'follow') : null;
    if (found?.kind !== 'file') throw resourceNotFoundError('static_file_content', `${path} (code_id ${codeId})`);
    const { file } = found;
    return sendFile(context, { ...file, open: (range) => services.files.openContent(file.sha256, range) });
  },
};

function readRequest(context: HttpContext) {
  const environment = context.req.query('environment') ?? '';
  const codeId = context.req.query('code_id') ?? '';
  const path = decodeURIComponent(new URL(context.req.url).pathname.slice(PREFIX.length)).replace(/\/{2,}/g, '/');
  if (environment === '' || codeId === '' || path === '') {
    throw plainRefusal(
      400,
      'Error: A /static_file_content request requires an environment, a code-id, and a file-path',
    );
  }
  if (!isEnvironmentName(environment)) {
    throw plainRefusal(400, `The environment must be purely alphanumeric, not '${environment}'`);
  }
  if (!/^[\w:;-]+$/.test(codeId)) {
    throw plainRefusal(
      400,
      `Invalid code-id '${codeId}'. Must contain only alpha-numerics and the following characters: '-', '_', ';', or ':'`,
    );
  }
  if (!SERVED.test(path) || path.split('/').includes('..')) {
    throw plainRefusal(
      403,
      'Request Denied: A /static_file_content request must be a file within the files directory of a module.',
    );
  }
  return { environment, codeId, path };
}
