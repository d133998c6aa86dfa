/** A setting as a file has it. */
export interface ConfSetting {
  readonly name: string;
  /** With `$name` as the file has it, without quotes and without owner and mode. */
  readonly value: string;
  readonly section: ConfSection;
  /** From 1. */
  readonly line: number;
}

type ConfSection = (typeof SECTIONS)[number];

/** A file cannot be read as puppet.conf; the message names the file and the line. */
export class InvalidPuppetConf extends Error {
  constructor(message: string, file: string, line: number) {
    super(`${message} (file: ${file}, line: ${line})`);
    this.name = 'InvalidPuppetConf';
  }
}

/** `master` is the former name of `server`. */
const SECTIONS = ['main', 'server', 'master', 'agent', 'user'] as const;

const SECTION = /^\s*\[([\p{L}\p{N}_]+)\]\s*$/u;
const SETTING = /^\s*([\p{L}\p{N}_]+)\s*=\s*(.*?)\s*$/u;
const IGNORED = /^\s*(#.*)?$/;
/** `{owner = puppet, mode = 0644}` after the name of a file. */
const FILE_OPTIONS = /(?<!\$)\{\s*([^}]+?)\s*\}/;

/**
 * Reads the text of a puppet.conf, the settings in their order. What is before the first section
 * belongs to `main`. Throws InvalidPuppetConf.
 */
// Puppet: lib/puppet/settings/ini_file.rb and config_file.rb.
export function readPuppetConf(text: string, file: string): readonly ConfSetting[] {
  const settings: ConfSetting[] = [];
  let section: ConfSection = 'main';
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    if (IGNORED.test(raw)) continue;
    const [, title] = SECTION.exec(raw) ?? [];
    const [, name, value = ''] = SETTING.exec(raw) ?? [];
    if (title !== undefined) section = toSection(title, file, line);
    else if (name !== undefined) settings.push({ name, value: toValue(value, file, line), section, line });
    else throw new InvalidPuppetConf(`'${raw.trim()}' is neither a section nor a setting`, file, line);
  }
  return settings;
}

function toSection(title: string, file: string, line: number): ConfSection {
  const found = SECTIONS.find((one) => one === title);
  if (found !== undefined) return found;
  throw new InvalidPuppetConf(`there is no section '${title}': known are ${SECTIONS.join(', ')}`, file, line);
}

function toValue(raw: string, file: string, line: number): string {
  // Puppet: lib/puppet/settings/value_translator.rb
  const text = raw.replaceAll(/^["']|["']$/g, '').trimEnd();
  const [, options] = FILE_OPTIONS.exec(text) ?? [];
  for (const option of options?.split(/\s*,\s*/) ?? []) {
    if (/^(owner|group)\s*=\s*\w+$|^mode\s*=\s*\d+$/.test(option)) continue;
    throw new InvalidPuppetConf(`'${option}' is no owner, group or mode of a file`, file, line);
  }
  return text.replace(FILE_OPTIONS, '').trimEnd();
}

/** Settings of a server, by name. `server` (or `master`) overrides `main`. The last line wins. */
export function selectServerSettings(settings: readonly ConfSetting[]): ReadonlyMap<string, ConfSetting> {
  const order: readonly ConfSection[] = ['main', 'master', 'server'];
  return new Map(order.flatMap((section) => settings.filter((one) => one.section === section).map(toEntry)));
}

function toEntry(setting: ConfSetting): readonly [string, ConfSetting] {
  return [setting.name, setting];
}
