import {
  type ConfigKeys,
  collectConfigKeys,
  type TranslatedConf,
  type TranslatedSetting,
} from './translate-puppet-conf.ts';

/** A line for each setting and each default: its key here, what to do, or why nothing. */
export function printTranslation(conf: TranslatedConf, file: string): string {
  const kept = conf.settings.flatMap(({ place, translation }) =>
    translation.kind === 'setting' ? [`${place} -> ${printKeys(translation.keys).join(', ')}`] : [],
  );
  const defaults = conf.defaults.map(({ keys, reason }) => `default: ${reason} -> ${printKeys(keys).join(', ')}`);
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Settings of `understudy server --config` (--format yaml prints the file)', [...kept, ...defaults]],
    ['To do', linesOf(conf.settings, 'step')],
    ['Ignored', linesOf(conf.settings, 'ignored')],
  ];
  const printed = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`);
  return `${file}\n\n${printed.join('\n')}`;
}

/** A file for `understudy server --config`; what else is to do stands in comments. */
export function printConfigFile(conf: TranslatedConf, file: string): string {
  const steps = linesOf(conf.settings, 'step').map((line) => `# To do: ${line}`);
  return `${[`# From ${file}`, ...steps, ...printKeys(collectConfigKeys(conf))].join('\n')}\n`;
}

function linesOf(settings: readonly TranslatedSetting[], kind: 'step' | 'ignored'): readonly string[] {
  return settings.flatMap(({ place, translation }) => {
    if (translation.kind === 'setting' || translation.kind !== kind) return [];
    return [`${place}: ${translation.kind === 'step' ? translation.text : translation.reason}`];
  });
}

/** `strict: warning`. Texts that YAML would read as something else are quoted. */
function printKeys(keys: ConfigKeys): readonly string[] {
  return Object.entries(keys).map(([key, value]) => {
    const isPlain = typeof value !== 'string' || (/^[A-Za-z/][\w./@-]*$/.test(value) && !WORDS.test(value));
    return `${key}: ${isPlain ? String(value) : JSON.stringify(value)}`;
  });
}

/** Words that YAML 1.1 reads as a boolean or as null. */
const WORDS = /^(y|n|yes|no|on|off|true|false|null)$/i;
