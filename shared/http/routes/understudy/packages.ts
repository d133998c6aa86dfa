import { PREFIXES } from '../../../config/deployment.ts';
import { JOB_FILES_PATH, jobFileKey } from '../../../orchestrator/jobs/built-in-tasks.ts';
import { RUNNER_FILE, readRunnerProgram } from '../../../orchestrator/runner/runner-program.ts';
import type { ByteRange } from '../../../store/ports/blob-store.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import { certnameOf, type Endpoint, type HttpContext } from '../../endpoint.ts';
import { badRequestError, plainRefusal, resourceNotFoundError, TEXT_TYPE } from '../../exchange/answers.ts';
import { type FileToSend, sendFile } from '../../files/send-file.ts';
import { type InstallerFile, readInstaller } from '../../packages/installer.ts';
import { findPackage } from '../../packages/package-store.ts';
import { createRoute } from '../../route.ts';
import type { FleetServices } from '../../services.ts';

const ADDRESS = /^([\w.-]+)(?::(\d{1,5}))?$/;
const VERSION = /^[\w.+~-]{1,100}$/;

/**
 * `GET /packages/<version>/install.bash`, `install.ps1`, the runner of the orchestrator, and the
 * uploaded files. All but the scripts also have a checksum, with the suffix `.sha256`.
 */
export const packageEndpoints: readonly Endpoint<FleetServices>[] = [
  createInstallerEndpoint('install.bash', 'install.sh'),
  createInstallerEndpoint('install.ps1', 'install.ps1'),
  createRoute('GET', '/packages/:version/:path{.+}', async (context, services) => {
    const path = context.req.param('path') ?? '';
    const [, name = path, isChecksum] = /^(.*?)(\.sha256)?$/.exec(path) ?? [];
    const found = await findFile(services, context.req.param('version') ?? '', name);
    if (found === null) throw plainRefusal(404, `There is no package ${path}`);
    if (isChecksum !== undefined) {
      const line = `${found.sha256}  ${name.split('/').at(-1)}\n`;
      return new Response(line, { headers: { 'Content-Type': TEXT_TYPE } });
    }
    const answer = await sendFile(context, found);
    // Puppet compares the file of a resource by it.
    answer.headers.set('X-Checksum-Sha256', found.sha256);
    return answer;
  }),
];

/** The runner is that of this release, whatever the version. */
async function findFile(services: FleetServices, version: string, name: string): Promise<FileToSend | null> {
  if (name === RUNNER_FILE) {
    const { bytes, sha256 } = readRunnerProgram();
    const open = async ({ start, end }: ByteRange) => new Blob([new Uint8Array(bytes.subarray(start, end))]).stream();
    return { sha256, size: bytes.length, open };
  }
  const found = await findPackage(services.documents, version, name);
  if (found === null) return null;
  const open = async (range: ByteRange) => {
    const stored = await services.blobs.stream(PREFIXES.packages + found.sha256, range);
    if (stored === null) throw new StoreRefused(`the package ${found.version}/${name} lost its content: add it again`);
    return stored.body;
  };
  return { ...found, open };
}

/**
 * Like Puppet Enterprise's package repository (`pe_repo`): `curl -k
 * https://POOL:8140/packages/current/install.bash | bash -s agent:environment=x
 * custom_attributes:k=v`.
 */
function createInstallerEndpoint(name: string, file: InstallerFile): Endpoint<FleetServices> {
  const printInstaller = readInstaller(file);
  return createRoute('GET', `/packages/:version/${name}`, async (context, services) => {
    const version = context.req.param('version') ?? '';
    if (!VERSION.test(version)) throw badRequestError('The version is invalid');
    const [server, port] = addressOf(context, services);
    const script = printInstaller({ SERVER: server, PORT: port, VERSION: version });
    return new Response(script, { headers: { 'Content-Type': TEXT_TYPE } });
  });
}

/** The pool's address: the configured one, else the Host header of the request. */
function addressOf(context: HttpContext, { settings }: FleetServices): readonly [string, string] {
  const given = settings.poolAddress ?? context.req.header('Host') ?? '';
  const [, server, port = settings.poolAddress === null ? '443' : '8140'] = ADDRESS.exec(given) ?? [];
  if (server === undefined) throw badRequestError('The Host header has no host');
  return [server, port];
}

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
