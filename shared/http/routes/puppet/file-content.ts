import { digestSha256 } from '../../../util/digest.ts';
import { certnameOf, type Endpoint, type HttpContext } from '../../endpoint.ts';
import { plainRefusal, resourceNotFoundError } from '../../exchange/answers.ts';
import { negotiateFormat } from '../../exchange/content-encoding.ts';
import { demandContentEnvironment, readFileRequest } from '../../files/file-request.ts';
import type { OpenedEnvironment } from '../../files/file-server.ts';
import { sendFile } from '../../files/send-file.ts';
import type { AgentServices } from '../../services.ts';

const PREFIX = '/puppet/v3/file_content/';

/** Puppet's content of a folder. */
const NOTHING = { sha256: digestSha256(''), size: 0 };

/**
 * `GET file_content/<mount>/<path>`: a file's bytes; empty for a folder. With `code_id`, as of that
 * deploy: agents download the files of a task so, also after a later deploy.
 */
// Differs from Puppet: it ignores `code_id` here.
export const getFileContent: Endpoint<AgentServices> = {
  methods: ['GET'],
  path: `${PREFIX}*`,
  isOfCatalog: true,
  async handle(context, services) {
    demandContentEnvironment(context);
    const asked = await readFileRequest(context, services, PREFIX, (name) => openFiles(name, context, services));
    const served = asked.files.find(asked, 'follow');
    if (served === null) throw resourceNotFoundError('file_content', asked.key);
    negotiateFormat(context, ['application/octet-stream']);
    const file = served.kind === 'file' ? served.file : NOTHING;
    return sendFile(context, { ...file, open: (range) => services.files.openContent(file.sha256, range) });
  },
};

async function openFiles(
  environment: string,
  context: HttpContext,
  { files }: AgentServices,
): Promise<OpenedEnvironment | null> {
  const codeId = context.req.query('code_id');
  if (codeId === undefined) return files.open(environment, certnameOf(context));
  if (!/^[\w:;-]+$/.test(codeId)) throw plainRefusal(400, `Invalid code-id '${codeId}'`);
  const found = await files.openSnapshot(codeId);
  if (found?.environment.name === environment) return { files: found, deployedAt: 0 };
  throw resourceNotFoundError('code', `${codeId} of the environment ${environment}`);
}
