import { digestSha256 } from '../../util/digest.ts';
import { RUNNER_FILE, readRunnerProgram } from '../runner/runner-program.ts';
import type { LibraryTask, TaskDownload } from '../tasks/task-library.ts';
import {
  APPLY_RUBY,
  RUBY_LAUNCHER,
  RUNNER_POWERSHELL,
  RUNNER_SHELL,
  UPLOAD_POWERSHELL,
  UPLOAD_SHELL,
  VERSION_POWERSHELL,
  VERSION_SHELL,
} from './built-in-scripts.ts';
import { invalidRequest, type JsonObject } from './request-body.ts';

interface BuiltInTask {
  readonly description: string;
  readonly parameters: Readonly<Record<string, { readonly type: string; readonly sensitive?: true }>>;
  readonly supportsNoop?: true;
  /** Left out of lists. */
  readonly isPrivate?: true;
  readonly makeOrder: (job: number, params: JsonObject, isNoop: boolean) => BuiltInOrder;
}

/** Request to agents for a built-in task. */
interface BuiltInOrder {
  readonly kind: 'shim' | 'task' | 'puppet';
  readonly module: string;
  readonly action: string;
  readonly params: JsonObject;
  readonly files: readonly JobFile[];
}

/** A file that is stored with the job, for its agents. */
interface JobFile {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** A script of a task; with `requirements`, one of several implementations. */
interface Script {
  readonly filename: string;
  readonly text: string;
  readonly requirements?: readonly string[];
  readonly inputMethod?: 'environment';
}

/**
 * The tasks that Bolt expects every orchestrator to have. Commands and scripts are modules of the
 * agent. A module of the environment with a task of that name comes first.
 */
const TASKS: Readonly<Record<string, BuiltInTask>> = {
  'bolt_shim::command': {
    description: 'Runs a command',
    parameters: { command: { type: 'String[1]' } },
    makeOrder: (_, { command }) => ({ kind: 'shim', module: 'command', action: 'run', params: { command }, files: [] }),
  },
  'bolt_shim::script': {
    description: 'Runs a script that comes with the request',
    parameters: {
      content: { type: 'String' },
      arguments: { type: 'Optional[Array[String]]' },
      name: { type: 'Optional[String]' },
    },
    makeOrder: orderScript,
  },
  'bolt_shim::upload': {
    description: 'Writes a file or folder that comes with the request',
    parameters: {
      path: { type: 'String[1]' },
      content: { type: 'String', sensitive: true },
      mode: { type: 'Optional[Integer]' },
      directory: { type: 'Optional[Boolean]' },
    },
    makeOrder: orderUpload,
  },
  'puppet_agent::version': {
    description: 'Prints the version of the Puppet agent',
    parameters: {},
    makeOrder: (job) => orderScripts(job, 'puppet_agent::version', {}, VERSION_SCRIPTS, {}),
  },
  'puppet_agent::run': {
    description: 'Runs the Puppet agent',
    parameters: { noop: { type: 'Optional[Boolean]' }, environment: { type: 'Optional[String[1]]' } },
    supportsNoop: true,
    makeOrder: orderAgentRun,
  },
  'understudy_runner::upgrade': {
    description: "Puts this server's runner in place of that of the node, and starts it again",
    parameters: {},
    makeOrder: orderUpgrade,
  },
  'apply_helpers::custom_facts': {
    description: 'Prints the facts of the node, with custom facts that come with the request',
    parameters: { plugins: { type: 'Optional[String]' } },
    isPrivate: true,
    makeOrder: (job, { plugins }) => orderApply(job, 'custom_facts', {}, plugins),
  },
  'apply_helpers::query_resources': {
    description: 'Prints resources of the node',
    parameters: { resources: { type: 'Array[String[1], 1]' }, plugins: { type: 'Optional[String]' } },
    isPrivate: true,
    makeOrder: (job, { resources, plugins }) => orderApply(job, 'query_resources', { resources }, plugins),
  },
  'apply_helpers::apply_catalog': {
    description: 'Applies a catalog that comes with the request, and prints the report',
    parameters: {
      catalog: { type: 'Hash', sensitive: true },
      plugins: { type: 'Optional[String]' },
      apply_settings: { type: 'Optional[Hash]' },
      bolt_builtin_content: { type: 'Optional[Any]' },
    },
    supportsNoop: true,
    isPrivate: true,
    makeOrder: (job, { catalog, apply_settings: settings, plugins }, isNoop) => {
      const input = { catalog, apply_settings: settings ?? {}, ...(isNoop ? { _noop: true } : {}) };
      return orderApply(job, 'apply_catalog', input, plugins);
    },
  },
};

/** Names of the built-in tasks that are not private. */
export const BUILT_IN_TASKS: readonly string[] = Object.entries(TASKS).flatMap(([name, { isPrivate }]) =>
  isPrivate ? [] : [name],
);

/** Finds a built-in task; null for any other name. */
export function findBuiltInTask(name: string, environment: string): LibraryTask | null {
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (task === undefined) return null;
  const { description, parameters, supportsNoop = false, isPrivate } = task;
  const sensitive = Object.entries(parameters).flatMap(([key, one]) => (one.sensitive ? [key] : []));
  const flags = { ...(supportsNoop ? { supports_noop: true } : {}), ...(isPrivate ? { private: true } : {}) };
  const metadata = { description, parameters, ...flags };
  return { name, environment, codeId: null, metadata, supportsNoop, sensitive, aliases: {} };
}

/** Makes the request of a built-in task. Throws OrchestratorError for content other than Base64. */
export function orderBuiltInTask(
  job: number,
  { name }: Pick<LibraryTask, 'name'>,
  params: JsonObject,
  isNoop = false,
): BuiltInOrder {
  const task = TASKS[name];
  if (task === undefined) throw new Error(`invariant: ${name} is not built in`);
  return task.makeOrder(job, params, isNoop);
}

const VERSION_SCRIPTS: readonly Script[] = [
  {
    filename: 'version.ps1',
    text: VERSION_POWERSHELL,
    requirements: ['powershell'],
    inputMethod: 'environment',
  },
  { filename: 'version.sh', text: VERSION_SHELL, requirements: ['shell'] },
];

const UPLOAD_SCRIPTS: readonly Script[] = [
  { filename: 'upload.ps1', text: UPLOAD_POWERSHELL, requirements: ['powershell'], inputMethod: 'environment' },
  { filename: 'upload.sh', text: UPLOAD_SHELL, requirements: ['shell'] },
];

const UPGRADE_SCRIPTS: readonly Script[] = [
  { filename: 'upgrade.ps1', text: RUNNER_POWERSHELL, requirements: ['powershell'], inputMethod: 'environment' },
  { filename: 'upgrade.sh', text: RUNNER_SHELL, requirements: ['shell'] },
];

function orderScript(job: number, { content, arguments: given, name }: JsonObject): BuiltInOrder {
  const file = makeFile(decodeContent(content));
  const script = describeFile(job, file, typeof name === 'string' ? name : 'script');
  const params = { script, arguments: given ?? [] };
  return { kind: 'shim', module: 'script', action: 'run', params, files: [file] };
}

function orderUpload(job: number, { path, content, mode, directory }: JsonObject): BuiltInOrder {
  // Bolt sends the mode as the system has it, with the type of the file.
  const permissions = typeof mode === 'number' ? { mode: mode & 0o7777 } : {};
  const input = { path, ...permissions, directory: directory === true };
  const extra = { 'bolt_shim/files/content': decodeContent(content) };
  return orderScripts(job, 'bolt_shim::upload', input, UPLOAD_SCRIPTS, extra);
}

function orderAgentRun(_: number, { noop, environment }: JsonObject, isNoop: boolean): BuiltInOrder {
  const flags = [
    ...(typeof environment === 'string' ? ['--environment', environment] : []),
    ...(noop === true || isNoop ? ['--noop'] : []),
  ];
  return { kind: 'puppet', module: 'pxp-module-puppet', action: 'run', params: { flags }, files: [] };
}

function orderApply(job: number, task: string, input: JsonObject, plugins: unknown): BuiltInOrder {
  const scripts = [{ filename: `${task}.sh`, text: RUBY_LAUNCHER, requirements: ['shell'] }];
  const extra = {
    'apply_helpers/files/apply_helpers.rb': Buffer.from(APPLY_RUBY),
    'apply_helpers/files/plugins.tar.gz': decodeContent(plugins),
  };
  return orderScripts(job, `apply_helpers::${task}`, input, scripts, extra);
}

function orderUpgrade(job: number): BuiltInOrder {
  const extra = { [`understudy_runner/files/${RUNNER_FILE}`]: readRunnerProgram().bytes };
  return orderScripts(job, 'understudy_runner::upgrade', {}, UPGRADE_SCRIPTS, extra);
}

/** A task of scripts, of which the agent chooses one, with further files beside it. */
function orderScripts(
  job: number,
  task: string,
  input: JsonObject,
  scripts: readonly Script[],
  extra: Readonly<Record<string, Uint8Array>>,
): BuiltInOrder {
  const named = [
    ...scripts.map(({ filename, text }) => ({ filename, file: makeFile(Buffer.from(text)) })),
    ...Object.entries(extra).map(([filename, bytes]) => ({ filename, file: makeFile(bytes) })),
  ];
  const implementations = scripts.map(({ filename, requirements = [], inputMethod }) => ({
    name: filename,
    requirements,
    ...(inputMethod === undefined ? {} : { input_method: inputMethod }),
  }));
  const metadata = { implementations, files: Object.keys(extra) };
  const files = named.map(({ filename, file }) => describeFile(job, file, filename));
  const params = { task, input, metadata, files };
  return { kind: 'task', module: 'task', action: 'run', params, files: named.map(({ file }) => file) };
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
