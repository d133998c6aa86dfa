import { posix } from 'node:path';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import { createCompile } from '../../puppet/compiler/create-compile.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import { LookupError } from '../../puppet/errors/lookup-error.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { CompileContext } from '../../puppet/evaluator/ports.ts';
import type { RubyPort } from '../../puppet/evaluator/ruby-port.ts';
import { DATA_FUNCTIONS } from '../../puppet/hiera/data-functions.ts';
import type { Language, LevelName } from '../../puppet/levels/language.ts';
import { findFunctionFile } from '../../puppet/ruby/ruby-sources.ts';
import { parseYaml } from '../../puppet/serialization/yaml.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { createFinding, type DoctorFinding } from './finding.ts';
import { rootsOf } from './inspect-ruby.ts';
import { riskOf } from './ruby-risks.ts';

const FUNCTION_KEYS = ['data_hash', 'lookup_key', 'data_dig', 'hiera3_backend'];
/** A key that no data contain. */
const PROBE = 'understudy_doctor_probe';

/**
 * Inspects Hiera: reads each configuration, looks up a key that no data contain, and checks that
 * the configured functions and keys exist.
 */
export function inspectHiera(
  environment: Environment,
  open: () => Environment,
  codeDirectory: string,
  ruby: RubyPort,
  { level }: Language,
): readonly DoctorFinding[] {
  const { globalHiera } = environment;
  const layers = [
    ...(globalHiera === null ? [] : [{ module: null, path: globalHiera }]),
    ...rootsOf(environment).map(({ module, root }) => ({ module, path: `${root}/hiera.yaml` })),
  ];
  return layers
    .filter(({ path }) => environment.kindOf(path) === 'file')
    .flatMap(({ module, path }) => {
      const name = module === null ? path : 'hiera.yaml';
      const fault = probeFault(open(), ruby, level, module === null ? PROBE : `${module}::${PROBE}`);
      const createFound = (more: Partial<DoctorFinding>) =>
        createFinding('Hiera', module, name, { file: path, ...more });
      if (fault !== null) return [createFound({ verdict: 'fails', reason: fault })];
      const entries = entriesOf(environment, path);
      const faults = entries.flatMap((entry) =>
        entryFindings(environment, codeDirectory, path, entry).map(createFound),
      );
      return faults.length > 0 ? faults : [createFound({})];
    });
}

/** Returns the error of a lookup for a node without facts; null when the lookup succeeds. */
function probeFault(environment: Environment, ruby: RubyPort, language: LevelName, key: string): string | null {
  const { context } = createCompile({
    node: {
      certname: 'doctor.invalid',
      environment: environment.name,
      facts: new PuppetHash(),
      trusted: PuppetHash.of([['certname', 'doctor.invalid']]),
      serverFacts: null,
      parameters: new PuppetHash(),
      classes: [],
    },
    environment,
    settings: { language, strict: 'error', strictVariables: false, tasks: false, storeconfigs: true },
    inputs: NO_RECORDER,
    exportsOf: () => [],
    ruby,
  });
  ruby.beginCompile(environment.root);
  try {
    lookUp(context, key);
    return null;
  } catch (error) {
    if (error instanceof LookupError || error instanceof PuppetError) return error.message.split('\n')[0] ?? '';
    throw error;
  }
}

function lookUp(context: CompileContext, key: string): Value | undefined {
  return context.lookup.lookup(context.topScope, {
    names: [key],
    valueType: null,
    merge: null,
    defaultValue: '',
    defaultBlock: null,
    defaultValues: new PuppetHash(),
    override: new PuppetHash(),
  });
}

function entriesOf(environment: Environment, path: string): readonly PuppetHash[] {
  const config = parseYaml(environment.readText(path) ?? '', { symbols: true });
  if (!(config instanceof PuppetHash)) return [];
  const lists = ['hierarchy', 'default_hierarchy', 'plan_hierarchy'].map((key) => config.get(key) ?? null);
  const entries = lists.flatMap((list) => (Array.isArray(list) ? list : []));
  return [config.get('defaults') ?? null, ...entries].filter((entry) => entry instanceof PuppetHash);
}

function entryFindings(
  environment: Environment,
  codeDirectory: string,
  path: string,
  entry: PuppetHash,
): readonly Partial<DoctorFinding>[] {
  const key = FUNCTION_KEYS.find((one) => entry.has(one));
  const name = key === undefined ? '' : String(entry.get(key));
  if (key === 'hiera3_backend') {
    return [
      {
        verdict: 'fails',
        reason: `the Hiera 3 backend '${name}' is Ruby code of a Puppet Server; its data are missing here`,
      },
    ];
  }
  if (name === '' || name === 'eyaml_lookup_key')
    return name === '' ? [] : eyamlFindings(environment, codeDirectory, path, entry);
  if (DATA_FUNCTIONS.has(name)) return [];
  const file = findFunctionFile(environment, name, ['4.x']);
  if (!file)
    return puppetFunction(environment, name)
      ? []
      : [{ verdict: 'fails', reason: `function '${name}' does not exist (${key})` }];
  const risk = riskOf(environment.readText(file.path) ?? '');
  return risk ? [{ ...risk, reason: `${name} ${risk.reason}`, file: file.path }] : [];
}

function puppetFunction(environment: Environment, name: string): boolean {
  const [namespace = '', ...rest] = name.split('::');
  const root = namespace === 'environment' ? environment.root : environment.findModule(namespace)?.root;
  return root !== undefined && environment.kindOf(posix.join(root, 'functions', `${rest.join('/')}.pp`)) === 'file';
}

/**
 * Encrypted values need a private key: in a file of the code directory, or in the configuration
 * itself.
 */
function eyamlFindings(
  environment: Environment,
  codeDirectory: string,
  path: string,
  entry: PuppetHash,
): readonly Partial<DoctorFinding>[] {
  const options = entry.get('options');
  if (!(options instanceof PuppetHash)) return [];
  if ([...options.keys()].some((key) => String(key).startsWith('gpg_'))) {
    return [{ verdict: 'fails', reason: 'values encrypted with GPG are not decrypted; only PKCS7 is supported' }];
  }
  const variable = options.get('pkcs7_private_key_env_var');
  if (typeof variable === 'string') {
    const reason = `the key is read from the environment variable ${variable} of the compiler: ${ENVIRONMENT_VARIABLES.eyamlVariables} must list it`;
    return [{ verdict: 'note', reason, file: path }];
  }
  const key = options.get('pkcs7_private_key');
  if (typeof key !== 'string') return [];
  const served = key.startsWith(`${SERVED_CODE_DIRECTORY}/`)
    ? codeDirectory + key.slice(SERVED_CODE_DIRECTORY.length)
    : key;
  if (served.startsWith(`${codeDirectory}/`) && environment.kindOf(served) === 'file') return [];
  const reason = `the key ${key} is not a file of the control repo: encrypted values fail`;
  return [{ verdict: 'fails', reason, file: path }];
}
