import { expect, it } from 'vitest';
import { keyInAws, optionOf, rowInAws, usualValue } from '../../shared/config/read-setting.ts';
import type { SettingRow } from '../../shared/config/setting-row.ts';
import { SETTINGS, type SettingName } from '../../shared/config/settings.ts';

const HEAD = `# Settings

The table has all settings of a server. A setting is an option (\`npm start -- --ring-turn 12\`), a
line of the file that \`--config\` names (\`ring-turn: 12\`), or an environment variable
(\`UNDERSTUDY_RING_TURN=12\`). An option precedes a variable, and a variable precedes the file.

A deployment in AWS has the settings with a key in the column *AWS*: in \`cdk.json\`, below
\`understudy:settings\`, \`understudy:inventory\` or \`understudy:orchestrator\`.
[infra/README.md](../infra/README.md) has those that only AWS has.

This page follows from \`shared/config/settings.ts\`;
\`npx vitest run test/lint/settings-page.test.ts -u\` renews it.

| option | default | values | AWS | what it is |
|---|---|---|---|---|
`;

function printRow(name: SettingName): string {
  const row: SettingRow = SETTINGS[name];
  const cells = [
    `\`--${optionOf(name)}\``,
    printUsual(name, row),
    printValues(row),
    printAws(name, row),
    printHelp(row),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function printUsual(name: SettingName, row: SettingRow): string {
  if (name === 'workers') return 'one less than the CPUs';
  const usual = usualValue(row);
  return usual === undefined || usual === false ? '' : String(usual);
}

function printValues(row: SettingRow): string {
  switch (row.kind) {
    case 'flag':
      return 'true, false';
    case 'number':
      return row.of === 'number' ? `${row.least} to ${row.most}` : `${row.least} to ${row.most} ${row.of}`;
    case 'port':
      return '0 to 65535, off';
    case 'boolean':
      return 'true, false';
    case 'choice':
    case 'choices':
      return row.choices.join(', ');
    default:
      return row.of.replace('...', '');
  }
}

function printAws(name: SettingName, row: SettingRow): string {
  if (row.aws === undefined) return '';
  const key = `${row.aws.section === 'settings' ? '' : `${row.aws.section}: `}\`${keyInAws(name)}\``;
  const there = rowInAws(name);
  if (there.kind !== 'number' || row.aws.usual === undefined) return key;
  return `${key}, ${there.usual}, at most ${there.most}`;
}

function printHelp({ help, puppet }: SettingRow): string {
  const text = `${help.charAt(0).toUpperCase()}${help.slice(1)}`;
  return puppet === undefined ? text : `${text}. In puppet.conf: \`${puppet}\``;
}

it('docs/settings.md has all settings', async () => {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map(printRow);
  await expect(`${HEAD}${rows.join('\n')}\n`).toMatchFileSnapshot('../../docs/settings.md');
});
