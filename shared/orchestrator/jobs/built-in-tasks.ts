import { digestSha256 } from '../../util/digest.ts';
import type { LibraryTask, TaskDownload } from '../tasks/task-library.ts';
import { invalidRequest, type JsonObject } from './request-body.ts';

/**
 * Bolt's own tasks, which it expects every orchestrator to have. Commands and scripts are modules
 * of the agent; an upload is a small shell task that finds its content beside it.
 */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, { readonly type: string }>>>> = {
  'bolt_shim::command': { command: { type: 'String[1]' } },
  'bolt_shim::script': {
    content: { type: 'String' },
    arguments: { type: 'Optional[Array[String]]' },
    name: { type: 'Optional[String]' },
  },
  'bolt_shim::upload': {
    path: { type: 'String[1]' },
    content: { type: 'String' },
    mode: { type: 'Optional[Integer]' },
    directory: { type: 'Optional[Boolean]' },
  },
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'bolt_shim::command': 'Runs a command',
  'bolt_shim::script': 'Runs a script that comes with the request',
  'bolt_shim::upload': 'Writes a file or folder that comes with the request',
};

export const BUILT_IN_TASKS: readonly string[] = Object.keys(PARAMETERS);

// It reads its standard input: the agent can fail when a task does not.
const UPLOAD = `#!/bin/sh
cat > /dev/null
set -e
content="$PT__installdir/bolt_shim/files/content"
if [ "$PT_directory" = true ]; then
  mkdir -p -- "$PT_path"
  gzip -dc < "$content" | tar -xf - -C "$PT_path"
else
  cp -- "$content" "$PT_path"
  if [ -n "$PT_mode" ]; then chmod "$(printf %o "$PT_mode")" "$PT_path"; fi
fi
echo '{"success": true}'
`;

/** A file that is stored with the job, for its agents. */
export interface JobFile {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** What agents are asked to do for a built-in task. */
export interface BuiltInOrder {
  readonly kind: 'shim' | 'task';
  readonly module: string;
  readonly action: string;
  readonly params: JsonObject;
  readonly files: readonly JobFile[];
}

/** Finds a built-in task; null for any other name. */
export function findBuiltInTask(name: string, environment: string): LibraryTask | null {
  const parameters = PARAMETERS[name];
  if (parameters === undefined) return null;
  const metadata = { description: DESCRIPTIONS[name], parameters };
  return { name, environment, codeId: null, metadata, supportsNoop: false, sensitive: [], aliases: {} };
}

/** Makes the request of a built-in task. Throws OrchestratorError for content other than Base64. */
export function orderBuiltInTask(job: number, { name }: LibraryTask, params: JsonObject): BuiltInOrder {
  if (name === 'bolt_shim::command') {
    return { kind: 'shim', module: 'command', action: 'run', params: { command: params.command }, files: [] };
  }
  const content = makeFile(decodeContent(params.content));
  if (name === 'bolt_shim::script') {
    const script = describeFile(job, content, typeof params.name === 'string' ? params.name : 'script');
    const request = { script, arguments: params.arguments ?? [] };
    return { kind: 'shim', module: 'script', action: 'run', params: request, files: [content] };
  }
  const executable = makeFile(Buffer.from(UPLOAD));
  const { path, mode, directory } = params;
  const request = {
    task: name,
    input: { path, ...(mode === undefined ? {} : { mode }), directory: directory === true },
    metadata: { files: ['bolt_shim/files/content'] },
    files: [describeFile(job, executable, 'upload.sh'), describeFile(job, content, 'bolt_shim/files/content')],
  };
  return { kind: 'task', module: 'task', action: 'run', params: request, files: [executable, content] };
}

/** The path at the front door under which agents get a file of a job. */
export const JOB_FILES_PATH = '/job-files';

/** The blob of a file of a job. */
export function jobFileKey(job: number | string, sha256: string): string {
  return `jobs/${job}/files/${sha256}`;
}

function makeFile(bytes: Uint8Array): JobFile {
  return { sha256: digestSha256(bytes), bytes };
}

function describeFile(job: number, { sha256, bytes }: JobFile, filename: string): TaskDownload {
  const uri = { path: `${JOB_FILES_PATH}/${job}/${sha256}`, params: {} };
  return { filename, uri, sha256, size_bytes: bytes.length };
}

function decodeContent(content: unknown): Uint8Array {
  const text = typeof content === 'string' ? content.replaceAll(/\s/g, '') : '';
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw invalidRequest('content must be Base64');
  return Buffer.from(text, 'base64');
}
