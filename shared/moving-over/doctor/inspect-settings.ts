import { posix } from 'node:path';
import { findConfigVersion } from '../../puppet/environment/config-version.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { parseEnvironmentConf } from '../../puppet/environment/environment-conf.ts';
import { parseFileserverConf } from '../../puppet/environment/fileserver-conf.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { Language } from '../../puppet/levels/language.ts';
import { createFinding, type DoctorFinding } from './finding.ts';

/** Settings of a server's puppet.conf that work differently here, and how. */
const SERVER_SETTINGS: ReadonlyMap<string, string> = new Map([
  ['node_terminus', 'a program classifies nodes where `understudy server` has the option --enc'],
  ['external_nodes', 'a program classifies nodes where `understudy server` has the option --enc'],
  ['trusted_external_command', '$trusted.external stays empty: no command runs'],
  ['autosign', 'requests are signed by the option --autosign, or by hand: this setting is ignored'],
  ['reports', 'the store keeps reports; --report-url and --puppetdb send them on, and no other report processor runs'],
  ['storeconfigs_backend', 'the store keeps exported resources: PuppetDB gets no data'],
  ['hiera_config', "the global layer is the control repo's hiera.yaml"],
  [
    'data_binding_terminus',
    "the global layer is the control repo's hiera.yaml, as in OpenVox 9, which has no such setting",
  ],
  ['basemodulepath', "shared modules are the control repo's modules"],
  ['environmentpath', "environments are the control repo's environments"],
  ['default_manifest', "an environment's manifest is that of its environment.conf, or manifests"],
  [
    'strict',
    'compiles are as with strict=error, unless the server has the option --strict, or the environment a policy',
  ],
  [
    'strict_variables',
    'compiles are as with strict_variables=true, unless the server has the option --strict-variables, or the environment a policy',
  ],
]);
/** The one without which code fails that relies on it. */
const FAILING_SETTING = 'trusted_external_command';

/**
 * Finds settings in environment.conf, puppet.conf and fileserver.conf that have no effect here, or
 * a different one.
 */
export function inspectSettings(
  environment: Environment,
  codeDirectory: string,
  language: Language,
): readonly DoctorFinding[] {
  return [
    ...inspectEnvironmentConf(environment, codeDirectory, language),
    ...puppetConf(environment, posix.join(codeDirectory, 'puppet.conf'), language),
    ...[codeDirectory, environment.root].flatMap((folder) => fileserverConf(environment, folder, codeDirectory)),
  ];
}

function inspectEnvironmentConf(
  environment: Environment,
  codeDirectory: string,
  language: Language,
): readonly DoctorFinding[] {
  const { name, root, configuration } = environment;
  const file = posix.join(root, 'environment.conf');
  const createFound = (more: Partial<DoctorFinding>) =>
    createFinding('settings', null, 'environment.conf', { file, ...more });
  const found = environment
    .listMessages(language)
    .filter(({ message }) => message.includes('environment.conf'))
    .map(({ message }) => createFound({ verdict: 'note', reason: message.split('\n')[0] ?? '' }));
  const version = findConfigVersion(configuration.configVersion);
  if (version.kind === 'refused') found.push(createFound({ verdict: 'differs', reason: version.reason }));
  const place = { name, root, codeDirectory, baseModulepath: [] };
  const { modulepath, manifest } = parseEnvironmentConf(environment.readText(file), file, place);
  const missing = [...modulepath, manifest].filter(
    (path) => !path.startsWith(`${codeDirectory}/`) && !/[*?[{]/.test(path) && environment.kindOf(path) === null,
  );
  for (const path of missing) {
    const reason = `${path} is neither in the control repo nor on this machine: its code is not inspected`;
    found.push(createFound({ verdict: 'differs', reason }));
  }
  return found.length > 0 ? found : [createFound({})];
}

function puppetConf(environment: Environment, file: string, language: Language): readonly DoctorFinding[] {
  const text = environment.readText(file);
  if (text === null) return [];
  const found = text.split('\n').flatMap((raw, index) => {
    const [, name = '', value = ''] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(raw) ?? [];
    const [verdict, reason] = describeSetting(name) ?? goneSetting(name, language) ?? [];
    if (verdict === undefined || isDefault(name, value)) return [];
    return [createFinding('settings', null, `puppet.conf ${name}`, { verdict, reason, file, line: index + 1 })];
  });
  return found.length > 0 ? found : [createFinding('settings', null, 'puppet.conf', { file })];
}

function describeSetting(name: string): readonly ['fails' | 'differs', string] | null {
  const reason = SERVER_SETTINGS.get(name);
  return reason === undefined ? null : [name === FAILING_SETTING ? 'fails' : 'differs', reason];
}

function goneSetting(name: string, { settingsGone, product, release }: Language): readonly ['note', string] | null {
  return settingsGone.includes(name) ? ['note', `${product} ${release} has no such setting`] : null;
}

function isDefault(name: string, value: string): boolean {
  return (
    (name === 'node_terminus' && value === 'plain') ||
    (name === 'strict' && value === 'error') ||
    (name === 'data_binding_terminus' && value === 'hiera') ||
    (name === 'strict_variables' && value === 'true')
  );
}

function fileserverConf(environment: Environment, folder: string, codeDirectory: string): readonly DoctorFinding[] {
  const file = posix.join(folder, 'fileserver.conf');
  const text = environment.readText(file);
  if (text === null) return [];
  try {
    parseFileserverConf(text, file, codeDirectory);
    return [createFinding('settings', null, 'fileserver.conf', { file })];
  } catch (error) {
    if (!(error instanceof PuppetError)) throw error;
    const { line } = error.location;
    return [
      createFinding('settings', null, 'fileserver.conf', {
        verdict: 'fails',
        reason: error.basic,
        file,
        line: line ?? null,
      }),
    ];
  }
}
