import { posix } from 'node:path';
import type { Environment } from '../../puppet/environment/environment.ts';
import type { Expression, Node, Program } from '../../puppet/language/ast.ts';
import { forEachChild } from '../../puppet/language/walk.ts';
import type { Language } from '../../puppet/levels/language.ts';
import { filesBelow } from './files-below.ts';
import { createFinding, type DoctorFinding, type FindingVerdict } from './finding.ts';
import { inspectEachManifest } from './inspect-manifests.ts';
import { rootsOf } from './inspect-ruby.ts';
import { codeOfTemplate, plainLines } from './ruby-risks.ts';

/** Finds what a language level refuses or reads otherwise than the level before it. */

/** Something in a manifest that depends on the level. */
interface Sighting {
  readonly verdict: Extract<FindingVerdict, 'fails' | 'differs' | 'note'>;
  readonly reason: string;
  readonly legacyFact?: string;
}

interface PlacedSighting extends Sighting {
  readonly node: Node;
}

const HIERA_FUNCTIONS = ['hiera', 'hiera_array', 'hiera_hash', 'hiera_include'];
type RubyRule = readonly [pattern: RegExp, verdict: 'fails' | 'differs' | 'note', reason: string];

/** Uses in Ruby code of modules of what a level has no more. */
const RUBY_GONE: readonly RubyRule[] = [
  [/\bPuppet::Indirector::Hiera\b/, 'fails', 'uses Puppet::Indirector::Hiera, which OpenVox 9 has not'],
  [/\bevaluate_script_(?:string|manifest)\b/, 'fails', "uses PAL's evaluate_script_*, which OpenVox 9 has not"],
  [/\bPuppet\[:(?:configprint|pluginsync|data_binding_terminus)\]/, 'fails', 'reads a setting that OpenVox 9 has not'],
  [
    /\bPuppet::Util\.(?:(?:get|set)_env|(?:get|clear|merge)_environment)\b/,
    'note',
    'calls a wrapper of ENV in Puppet::Util, which OpenVox 9 deprecates',
  ],
];
const RUBY40_RULES: readonly RubyRule[] = [
  [/\b(?:File|FileTest|Dir)\.exists\?/, 'fails', 'calls exists?, which Ruby 3.2 removed: exist? is there'],
  [/\b(?:Fixnum|Bignum)\b/, 'fails', 'names Fixnum or Bignum, which Ruby 3.2 removed: Integer is there'],
  [
    /\bERB\.new[ (](?:[^(),]|\([^()]*\))+,\s*(?:nil|\d|['"])/,
    'fails',
    'calls ERB.new with more than a text, which Ruby 4.0 takes by name: trim_mode: and eoutvar:',
  ],
  [/\.(?:untaint|tainted\?)(?!\w)/, 'fails', 'calls untaint or tainted?, which Ruby 3.2 removed'],
  [
    /\bCGI(?:\.(?:new|parse|pretty|rfc1123_date)\b|::(?:Cookie|Session)\b)/,
    'fails',
    'uses the library cgi, of which Ruby 4.0 keeps only the methods that escape',
  ],
  [
    /(?<![.\w])(?:Kernel\.)?open[\s(]+['"]\||\bIO\.(?:read|readlines|foreach|write)[\s(]+['"]\|/,
    'fails',
    'starts a process by a text that begins with |, which Ruby 4.0 removed: IO.popen is there',
  ],
];
/** Uses in code that agents run. */
const AGENT_RULES: readonly RubyRule[] = [
  [
    /\b(?:File|FileTest|Dir)\.exists\?|\b(?:Fixnum|Bignum)\b/,
    'note',
    'uses exists?, Fixnum or Bignum, which agents since Puppet 8 have no more (Ruby 3.2)',
  ],
];
/** Tags of a template that print a hash as it is. */
const PRINTED_FACTS: RubyRule = [
  /(?:^|;)\s*@(?:facts|trusted|server_facts)\s*;/,
  'differs',
  'prints a hash, which Ruby 3.4 shows otherwise',
];
/** Tags that may print one; not what is obviously a text, or a list of texts. */
const INSPECTED: RubyRule = [
  /(?:^|;)(?![^;]*\.(?:join|keys|to_[is])\b)[^;]*\.inspect\s*;/,
  'note',
  'prints with inspect: Ruby 3.4 shows hashes otherwise',
];
const RUBY_FILES: readonly (readonly [folder: string, extension: string, rules: readonly RubyRule[]])[] = [
  ['lib/puppet/functions', '.rb', [...RUBY_GONE, ...RUBY40_RULES]],
  ['lib/puppet/parser/functions', '.rb', [...RUBY_GONE, ...RUBY40_RULES]],
  ['lib/puppet_x', '.rb', [...RUBY_GONE, ...RUBY40_RULES]],
  ['lib/facter', '.rb', AGENT_RULES],
  ['lib/puppet/provider', '.rb', AGENT_RULES],
  ['templates', '.erb', [...RUBY40_RULES, PRINTED_FACTS, INSPECTED]],
];

/** Inspects manifests, environment.conf and Ruby code; `language`: that of the level. */
export function inspectLanguage(environment: Environment, language: Language): readonly DoctorFinding[] {
  return [
    ...inspectDataProvider(environment, language),
    ...inspectEachManifest(environment, language.level, ({ module, root, path, program }) =>
      joinLegacyFacts(listSightings(program, language, environment)).map(({ node, verdict, reason }) => {
        const { locator, offset } = node;
        const place = { file: path, line: locator.lineAt(offset) };
        return createFinding('language', module, path.slice(root.length + 1), { verdict, reason, ...place });
      }),
    ),
    ...(language.ruby40 ? inspectRubyCode(environment) : []),
  ];
}

function inspectDataProvider(environment: Environment, language: Language): readonly DoctorFinding[] {
  const { configuration, root } = environment;
  if (language.environmentDataProvider || configuration.dataProvider === null) return [];
  const reason =
    configuration.dataProvider === 'function'
      ? 'environment_data_provider is ignored: environment::data() is no longer asked, and its data is missing'
      : 'environment_data_provider is ignored';
  const file = posix.join(root, 'environment.conf');
  return [createFinding('language', null, 'environment.conf', { verdict: 'differs', reason, file })];
}

function listSightings(program: Program, language: Language, environment: Environment): readonly PlacedSighting[] {
  const found: PlacedSighting[] = [];
  const visit = (node: Node): void => {
    const sighting = inspectNode(node, language, environment);
    if (sighting !== null) found.push({ ...sighting, node });
    forEachChild(node, visit);
  };
  forEachChild(program, visit);
  return found;
}

/** A file has one finding for all legacy facts that it reads. */
function joinLegacyFacts(sightings: readonly PlacedSighting[]): readonly PlacedSighting[] {
  const names = new Set(sightings.flatMap(({ legacyFact }) => legacyFact ?? []));
  const first = sightings.find(({ legacyFact }) => legacyFact !== undefined);
  const others = sightings.filter(({ legacyFact }) => legacyFact === undefined);
  if (first === undefined) return others;
  const reason = `reads legacy facts, which agents of Puppet 8 and OpenVox do not send: ${[...names].sort().join(', ')}`;
  return [...others, { ...first, reason }];
}

function inspectNode(node: Node, language: Language, environment: Environment): Sighting | null {
  switch (node.kind) {
    case 'CallNamedFunctionExpression':
      return inspectCall(nameOf(node.functorExpr), node, 0, language);
    case 'CallMethodExpression': {
      const { functorExpr } = node;
      const name = functorExpr.kind === 'NamedAccessExpression' ? nameOf(functorExpr.rightExpr) : null;
      return inspectCall(name, node, 1, language);
    }
    case 'VariableExpression':
      return inspectVariable(nameOf(node.expr), language);
    case 'AccessExpression':
      return inspectFact(node.leftExpr, node.keys);
    case 'ResourceExpression':
      return inspectResource(nameOf(node.typeName), node, language, environment);
    default:
      return null;
  }
}

/** `receivers`: how many arguments stand before the parentheses. */
function inspectCall(
  name: string | null,
  { arguments: args }: Extract<Node, { readonly arguments: readonly Expression[] }>,
  receivers: number,
  language: Language,
): Sighting | null {
  if (name === 'regsubst' && !language.regsubstEncoding && args.length + receivers > 4) {
    return { verdict: 'fails', reason: 'regsubst takes no encoding: the fifth argument is an error' };
  }
  if (name !== null && HIERA_FUNCTIONS.includes(name)) {
    return { verdict: 'note', reason: `${name} is deprecated in favor of lookup` };
  }
  return null;
}

function inspectVariable(name: string | null, { settingsGone }: Language): Sighting | null {
  const setting = /^(?:::)?settings::(\w+)$/.exec(name ?? '')?.[1];
  if (setting !== undefined && settingsGone.includes(setting)) {
    return { verdict: 'fails', reason: `there is no setting ${setting}: the variable is unknown` };
  }
  const fact = /^::(\w+)$/.exec(name ?? '')?.[1];
  return fact !== undefined && LEGACY_FACTS.has(fact) ? describeLegacy(fact) : null;
}

function inspectFact(left: Expression, [key]: readonly Expression[]): Sighting | null {
  const isFacts = left.kind === 'VariableExpression' && /^(?:::)?facts$/.test(nameOf(left.expr) ?? '');
  const name = key?.kind === 'LiteralString' ? key.value : null;
  return isFacts && name !== null && LEGACY_FACTS.has(name) ? describeLegacy(name) : null;
}

function describeLegacy(legacyFact: string): Sighting {
  return { verdict: 'differs', reason: '', legacyFact };
}

function inspectResource(
  type: string | null,
  { bodies }: Extract<Node, { kind: 'ResourceExpression' }>,
  language: Language,
  environment: Environment,
): Sighting | null {
  const has = (name: string) =>
    bodies.some(({ operations }) =>
      operations.some((one) => one.kind === 'AttributeOperation' && one.attributeName === name),
    );
  if (type === 'package' && !language.packageEnvironment && has('environment')) {
    return { verdict: 'fails', reason: "package has no parameter 'environment'" };
  }
  const hasZone = environment.listModules().some(({ root }) => environment.kindOf(`${root}/lib/puppet/type/zone.rb`));
  if (type === 'zone' && !language.vendoredZone && !hasZone) {
    return { verdict: 'fails', reason: 'the type zone is in the module zone_core, which the environment has not' };
  }
  return null;
}

/** Returns the first line of each file that a rule finds. */
function inspectRubyCode(environment: Environment): readonly DoctorFinding[] {
  return RUBY_FILES.flatMap(([folder, extension, rules]) =>
    rootsOf(environment).flatMap(({ module, root }) =>
      filesBelow(environment, `${root}/${folder}`, extension).flatMap((name) => {
        const file = `${root}/${folder}/${name}`;
        const text = environment.readText(file) ?? '';
        const lines = plainLines(extension === '.erb' ? codeOfTemplate(text) : text, false);
        return rules.flatMap(([pattern, verdict, reason]) => {
          const index = lines.findIndex((line) => pattern.test(line));
          const found = { verdict, reason, file, line: index + 1 };
          return index < 0 ? [] : [createFinding('language', module, `${folder}/${name}`, found)];
        });
      }),
    ),
  );
}

function nameOf(expression: Expression | null): string | null {
  return expression?.kind === 'QualifiedName' ? expression.value : null;
}

/**
 * Facts that have a structured form, by their flat names. Agents of Puppet 8 and OpenVox leave them
 * out unless `include_legacy_facts` is set. Facter: lib/facter/framework/core/fact_loader.rb
 */
const LEGACY_FACTS: ReadonlySet<string> = new Set(
  `architecture augeasversion blockdevices bios_release_date bios_vendor bios_version boardassettag boardmanufacturer
  boardproductname boardserialnumber chassisassettag chassistype dhcp_servers domain ec2_instance_id fqdn gid
  hardwareisa hardwaremodel hostname id interfaces ipaddress ipaddress6 lsbdistcodename lsbdistdescription lsbdistid
  lsbdistrelease lsbmajdistrelease lsbminordistrelease lsbrelease macaddress macosx_buildversion macosx_productname
  macosx_productversion macosx_productversion_major macosx_productversion_minor manufacturer memoryfree
  memoryfree_mb memorysize memorysize_mb netmask netmask6 network network6 operatingsystem
  operatingsystemmajrelease operatingsystemrelease osfamily physicalprocessorcount processorcount productname
  rubyplatform rubysitedir rubyversion scope6 selinux selinux_config_mode selinux_config_policy
  selinux_current_mode selinux_enforced selinux_policyversion serialnumber swapencrypted swapfree swapfree_mb
  swapsize swapsize_mb system32 uptime uptime_days uptime_hours uptime_seconds uuid xendomains zonename zones`.split(
    /\s+/,
  ),
);
