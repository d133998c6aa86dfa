import type { InvalidatePorts } from '../fan-out/settle-environment.ts';
import { loadSnapshot } from '../snapshots/snapshot-cache.ts';
import { type Preparation, type PreparedEnvironment, prepareEnvironment } from './deploy.ts';
import { environmentsOf, NoSuchEnvironment, type ScanOptions, scanEnvironment } from './scan-environment.ts';
import { findUploadedCode, listUploadedCode, type UploadPorts } from './uploaded-code.ts';

/** The source of an environment's newest code. */
export interface CodeSource {
  /** Names of the environments it has code for, sorted. */
  listEnvironments(): Promise<readonly string[]>;
  /** Uploads the newest code of the environment to the store. Throws NoSuchEnvironment. */
  prepare(environment: string): Promise<PreparedEnvironment>;
  /** Whether it takes uploaded code (`storeUploadedCode`); else it has its own. */
  readonly takesUploads: boolean;
}

/** A control repo on this machine. `prepare` precomputes results for its code. */
export function directorySource(
  ports: InvalidatePorts,
  directory: string,
  prepare: Preparation = {},
  scan: ScanOptions = {},
): CodeSource {
  return {
    takesUploads: false,
    listEnvironments: async () => environmentsOf(directory),
    prepare: async (environment) =>
      prepareEnvironment(ports, await scanEnvironment(directory, environment, scan), prepare),
  };
}

/** Code that pipelines uploaded. */
export function createUploadSource(ports: UploadPorts): CodeSource {
  return {
    takesUploads: true,
    listEnvironments: async () => (await listUploadedCode(ports)).map(({ environment }) => environment),
    async prepare(environment) {
      const uploaded = await findUploadedCode(ports, environment);
      if (!uploaded) throw new NoSuchEnvironment(`no code of environment '${environment}' was uploaded`);
      const { files } = await loadSnapshot(ports.blobs, uploaded.codeId);
      return { codeId: uploaded.codeId, files: Object.keys(files).length };
    },
  };
}
