import { defaultRules } from '../../access/authorization/default-rules.ts';
import type { RuleData } from '../../access/authorization/rule.ts';
import type { LevelName } from '../../puppet/levels/language.ts';
import { parseHocon } from '../../puppet/serialization/hocon.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { Value } from '../../puppet/types/values/values.ts';
import { canonicalJson } from '../../util/digest.ts';
import { findServerTranslation } from './server-translations.ts';
import type { TranslatedConf, TranslatedSetting } from './translate-puppet-conf.ts';
import { InvalidConfValue, type Translation } from './translation.ts';

/** A file of the folder `conf.d` of a Puppet Server or an OpenVox Server. */
interface ServerConfFile {
  /** Its path. */
  readonly file: string;
  readonly text: string;
}

/** A file of `conf.d` cannot be read, or a value in it; the message names the file. */
export class InvalidServerConf extends Error {
  constructor(file: string, message: string) {
    super(`${file}: ${message}`);
    this.name = 'InvalidServerConf';
  }
}

/**
 * Translates the files of `conf.d`: puppetserver.conf, webserver.conf, ca.conf, auth.conf and the
 * others, in HOCON. Throws InvalidServerConf.
 */
export function translateServerConf(files: readonly ServerConfFile[]): TranslatedConf {
  return { settings: files.flatMap(translateFile), defaults: [] };
}

function translateFile({ file, text }: ServerConfFile): readonly TranslatedSetting[] {
  const name = file.replace(/^.*\//, '');
  return flatten(parse(file, text)).flatMap(([path, value]) => {
    if (path === 'authorization.rules') return translateRules(file, name, value);
    try {
      return { place: `${name}: ${path} = ${print(value)}`, translation: findServerTranslation(path, value) };
    } catch (error) {
      throw error instanceof InvalidConfValue ? new InvalidServerConf(file, `${path}: ${error.message}`) : error;
    }
  });
}

function parse(file: string, text: string): PuppetHash {
  try {
    const root = parseHocon(text);
    if (root instanceof PuppetHash) return root;
  } catch (error) {
    throw new InvalidServerConf(file, `it cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw new InvalidServerConf(file, 'it cannot be read: it should be a map');
}

/** Each value that is no map, with its path. */
function flatten(hash: PuppetHash, above: readonly string[] = []): readonly (readonly [string, Value])[] {
  return [...hash].flatMap(([key, value]) => {
    const path = [...above, String(key)];
    return value instanceof PuppetHash ? flatten(value, path) : [[path.join('.'), value] as const];
  });
}

function print(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(toJson(value));
}

function toJson(value: Value): unknown {
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof PuppetHash)
    return Object.fromEntries([...value].map(([key, one]) => [String(key), toJson(one)]));
  return typeof value === 'bigint' ? Number(value) : value;
}

/** A rule as JSON has it. */
interface GivenRule {
  readonly name?: unknown;
  readonly 'match-request'?: { readonly path?: unknown; readonly method?: unknown };
}

/** Default rules that servers of Puppet 7 do not have, because they have no such request. */
const LATER_RULES: ReadonlySet<string> = new Set(['puppetlabs certificate renewal', 'puppetlabs cert sign']);

/** Rules of a file replace ours, those for our own endpoints included. Usual ones are left out. */
function translateRules(file: string, name: string, value: Value): readonly TranslatedSetting[] {
  if (!Array.isArray(value)) throw new InvalidServerConf(file, 'authorization.rules: it should be a list');
  const rules = value.map((rule) => toJson(rule) as GivenRule);
  const given = new Set(rules.map((rule) => String(rule.name)));
  const level = levelOf(given);
  const usual = defaultRules(level ?? OTHER_LEVEL);
  const [own, missing] = [rules.filter((rule) => !isUsual(rule, usual)), usual.filter((one) => !given.has(one.name))];
  const ofPuppet = missing.filter((one) => one.name.startsWith('puppet') && !LATER_RULES.has(one.name));
  const places = [
    ...own.map((rule) => `the rule '${String(rule.name)}'`),
    ...ofPuppet.map((one) => `no rule '${one.name}'`),
  ];
  const levels: readonly TranslatedSetting[] =
    level === null
      ? []
      : [{ place: `${name}: the rule '${READ_RULE}'`, translation: { kind: 'setting', keys: { language: level } } }];
  if (places.length === 0) {
    const translation: Translation = { kind: 'ignored', reason: 'as here: they are the default rules' };
    return [...levels, { place: `${name}: authorization.rules`, translation }];
  }
  const added = missing.filter((one) => !ofPuppet.includes(one));
  return [
    ...levels,
    ...places.map((place): TranslatedSetting => {
      return { place: `${name}: ${place}`, translation: { kind: 'setting', keys: { 'auth-conf': file } } };
    }),
    ...added.map((one): TranslatedSetting => {
      const text = `add this rule for our own requests, or nobody may send them: ${JSON.stringify(one)}`;
      return { place: `${name}: authorization.rules`, translation: { kind: 'step', text } };
    }),
  ];
}

/** A default rule that only servers of OpenVox 9 have. */
const READ_RULE = 'puppetlabs file bucket file read';
const OTHER_LEVEL: LevelName = 'openvox-8';

/** The level that default rules of the file belong to; null without such rules. */
function levelOf(names: ReadonlySet<string>): LevelName | null {
  return names.has(READ_RULE) ? 'openvox-9' : null;
}

/** Whether a default rule says the same, or says it of all paths that begin so. */
function isUsual(rule: GivenRule, defaults: readonly RuleData[]): boolean {
  const { path, method, ...more } = rule['match-request'] ?? {};
  const methods = listMethods(method);
  return defaults.some((usual) => {
    const match = usual['match-request'];
    const others = { ...rule, name: usual.name, 'match-request': { ...more, path: match.path, method: match.method } };
    const isCovered = match.type === 'path' && String(path).startsWith(match.path);
    if (path !== match.path && !isCovered) return false;
    if (canonicalJson(others) !== canonicalJson(usual)) return false;
    const usualMethods = new Set(listMethods(match.method));
    // A rule for fewer methods leaves the others to no rule, which denies them.
    const isAll = path !== match.path || usualMethods.size === new Set(methods).size;
    return isAll && methods.every((one) => usualMethods.has(one));
  });
}

function listMethods(method: unknown): readonly string[] {
  return method === undefined ? ['any'] : [method].flat().map((one) => String(one).toLowerCase());
}
